"""What a chart has found, in one sentence: the titles of all charts about a table.

Every title is decided here, so that the same care holds for all of them: a difference that is not
worth a word is said to be none, two figures that read the same are never contrasted, and where
nothing is left to compare the title says so instead of giving a number.
"""

from collections.abc import Sequence

from deid_portal.engine.charts.bins import bin_label
from deid_portal.engine.report.classes import ClassSizes
from deid_portal.engine.report.left_out import GroupsApart, PayingGroup
from deid_portal.engine.report.risk import AttackerSummary, ClassRisk, RiskDetails
from deid_portal.engine.report.sensitive import SensitiveSpread, SpreadState
from deid_portal.engine.report.utility import ClassifierAccuracy, MarginalChange, PairChange
from deid_portal.engine.wording.numbers import one_in, percent
from deid_portal.engine.wording.words import capital, counted, listed, share_words, value_words

AS_BEFORE = 0.005  # a smaller move, or change of an association, is none
ALIKE = 0.02  # groups whose losses are nearer to each other lost the same
SOME_MORE_OFTEN = 1.5  # a smaller ratio of shares is no difference between groups
LARGEST_NAMED = 3


# Risk


def risk_finding(before: ClassRisk | None, after: ClassRisk) -> str:
    highest = after.prosecutor.highest
    singled_out = before.sample_uniques if before is not None else 0
    still = after.sample_uniques
    if still > 0 and before is None:
        return f"{share_words(still).capitalize()} can still be singled out"
    if still > 0:
        now, was = share_words(still), share_words(singled_out)
        return f"{now.capitalize()} can still be singled out; before, " + (
            "it was as many" if now == was else f"{was} could"
        )
    worst = f"Nobody’s risk is above {one_in(highest)}" if highest else "Nobody is at risk"
    if singled_out > 0:
        return f"{worst}; before, {share_words(singled_out)} could be singled out"
    return worst


def threshold_finding(before: AttackerSummary | None, after: AttackerSummary) -> str:
    limit, above = percent(after.threshold, 0), after.share_above
    who = share_words(above).capitalize()
    now = f"{who} have a risk above {limit}" if above else f"Nobody’s risk is above {limit}"
    if before is None:
        return now
    was = share_words(before.share_above) if before.share_above else "nobody"
    if was == (share_words(above) if above else "nobody"):
        return f"{now}, as before"
    return f"{now}; before, {was}" if above else f"{now}; before, {was} had more"


def influence_finding(found: RiskDetails) -> str:
    """Name the column that helps, or the two that do where no single one does."""
    average, worst = found.prosecutor.average, found.columns[0]
    if found.helps(worst):
        return (
            f"{capital(worst.column)} hurts most: without it the average risk falls from "
            f"{percent(average)} to {percent(worst.average_risk)}"
        )
    lowest = percent(worst.average_risk)
    pair = next(iter(found.pairs or ()), None)
    if pair is None:
        return f"No single column helps: without any one the average risk is {lowest} or more"
    both = listed(pair.columns)
    if found.helps(pair):
        return (
            f"No single column helps, two do: without {both} the average risk falls from "
            f"{percent(average)} to {percent(pair.average_risk)}"
        )
    without = percent(pair.average_risk)
    return f"No column helps, nor do any two: without {both} the average risk is still {without}"


# Groups


def classes_finding(classes: ClassSizes) -> str:
    groups = counted(classes.count, "group")
    if classes.count == 1:
        return f"{groups} of {counted(classes.largest, 'person', 'people')}"
    if classes.smallest == classes.largest:
        each = counted(classes.smallest, "person", "people")
        return f"{groups} of {each} each"
    return (
        f"{groups}: the smallest holds {counted(classes.smallest, 'person', 'people')}, "
        f"the largest {classes.largest:,}"
    )


def left_out_finding(bins: Sequence[GroupsApart]) -> str:
    most = max(bins, key=lambda own: own.left_out)
    share = percent(most.left_out / sum(own.left_out for own in bins), 0)
    size = "alone in their group" if most.to == 1 else f"in groups of {bin_label(most)}"
    return f"{share} of those left out were {size}"


# Detail


def loss_finding(ranked: Sequence[tuple[str, float]], hidden: frozenset[str]) -> str:
    """Name the columns that are hidden, or the one that lost most; `ranked` by loss."""
    gone = [name for name, _ in ranked if name in hidden]
    if gone:
        return hidden_finding(gone, len(ranked))
    if not ranked:
        return "No column was made coarser"
    name, loss = ranked[0]
    if loss == 0:
        return "No column lost any detail"
    if len(ranked) > 1 and all(own == loss for _, own in ranked):
        return f"All columns lost the same: {percent(loss, 0)} of their detail"
    return f"{capital(name)} paid the most: {percent(loss, 0)} of its detail is gone"


def hidden_finding(names: Sequence[str], of: int) -> str:
    if len(names) == of > 1:
        return f"All {of:,} columns are hidden: no detail is left"
    if len(names) > LARGEST_NAMED:
        return f"{len(names):,} of {of:,} columns are hidden"
    return f"{capital(listed(names))} {'is' if len(names) == 1 else 'are'} hidden"


def classifier_finding(best: ClassifierAccuracy) -> str:
    return (
        f"A classifier is right {percent(best.after.mean)} of the time; on the original "
        f"{percent(best.before.mean)}, by guessing the most common {percent(best.majority)}"
    )


# Distributions


def moved_finding(
    columns: Sequence[str], moved: float, hidden: frozenset[str], level_name: str | None = None
) -> str:
    """Say how far one column, or two together, moved; a hidden one cannot be compared.

    A column that is compared at a level of its taxonomy may have moved more within the groups.
    """
    gone = [name for name in columns if name in hidden]
    if gone:
        verb = "is" if len(gone) == 1 else "are"
        return f"{capital(listed(gone))} {verb} hidden: nothing is left to compare"
    together = " together" if len(columns) > 1 else ""
    level = f" ({level_name})" if level_name else ""
    if moved < AS_BEFORE:
        verb = "read" if together else "reads"
        return f"{capital(listed(columns))}{level}{together} {verb} as before"
    of = listed(columns) if together else f"the distribution of {columns[0]}{level}"
    return f"{percent(moved, 0)} of {of}{together} moved"


def change_finding(most: MarginalChange) -> str:
    if most.total_variation < AS_BEFORE:
        return "No distribution moved"
    moved = percent(most.total_variation)
    return f"{capital(most.column)} moved most: {moved} of its distribution"


def association_finding(most: PairChange) -> str:
    before, after = f"{most.association_before:.2f}", f"{most.association_after:.2f}"
    if most.association_change < AS_BEFORE or before == after:
        return "All pairs of columns hang together as before"
    return f"{capital(listed(most.columns))} changed most: from {before} to {after}"


# Sensitive values


def variety_finding(entry: SensitiveSpread) -> str:
    still = _share_of_one_value(entry.after)
    was = _share_of_one_value(entry.before) if entry.before else 0.0
    if still:
        who = share_words(still).capitalize()
        return f"{who} of the people are in groups that hold one value of {entry.column}"
    least = counted(entry.after.l, "different value")
    title = f"Every group holds at least {least} of {entry.column}"
    if was:
        title += f"; before, {share_words(was)} of the people were in groups of one"
    return title


def _share_of_one_value(state: SpreadState) -> float:
    everybody = sum(own.records for own in state.people_by_l)
    alone = sum(own.records for own in state.people_by_l if own.to == 1)
    return alone / everybody if everybody else 0.0


def distance_finding(column: str, before: float | None, after: float | None) -> str:
    """Say how far the groups are from the table in this sensitive column."""
    now, was = f"{after or 0:.2f}", f"{before or 0:.2f}"
    said = f"No group is further than {now} from the table in {column}"
    return f"{said}, as before" if now == was else f"{said}; before, up to {was}"


# Who pays


def left_out_shares_finding(groups: Sequence[PayingGroup]) -> str:
    """Name the group that is left out most often; `groups` by their share."""
    worst, largest = groups[0], max(groups, key=lambda group: group.records)
    if worst.share_left_out == 0:
        return "Nobody of these groups was left out"
    if worst.share_left_out < SOME_MORE_OFTEN * groups[-1].share_left_out:
        return "All groups are left out about equally often"
    name = value_words(worst.value)
    is_about_size = worst.share_left_out >= SOME_MORE_OFTEN * largest.share_left_out
    if worst is largest or not largest.share_left_out or not is_about_size:
        return f"{share_words(worst.share_left_out).capitalize()} of “{name}” are left out"
    times = _times(worst.share_left_out / largest.share_left_out)
    return f"Small groups are left out up to {times} times as often as the largest"


def _times(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}".removesuffix(".0")


def lost_finding(groups: Sequence[PayingGroup]) -> str:
    """Contrast the groups that lost most and least; `groups` by their loss."""
    most, least = groups[0], groups[-1]
    if not most.loss:
        return "Nobody lost any detail"
    if most.loss - least.loss < ALIKE:
        return f"Everybody lost about the same: {share_words(most.loss)} of the detail"
    return (
        f"“{value_words(most.value)}” lost {percent(most.loss, 0)} of the detail, "
        f"“{value_words(least.value)}” {percent(least.loss, 0)}"
    )
