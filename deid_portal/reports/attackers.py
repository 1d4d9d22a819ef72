"""Risk as three attackers see it: prosecutor, journalist and marketer, before and after."""

from collections.abc import Callable
from dataclasses import dataclass

from deid_portal.engine.charts.chart import ChartTable
from deid_portal.engine.charts.risk import details_after, details_before
from deid_portal.engine.report import Report
from deid_portal.engine.report.risk import AttackerSummary
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import people

ATTACKERS = {
    "prosecutor": "knows that the person is in the table",
    "journalist": "knows that the person is in the population",
    "marketer": "matches everybody, and is content to be right on average",
}


@dataclass(frozen=True)
class RiskPair:
    """A formatted risk; `before` is "" for viewers without row access."""

    before: str
    after: str


@dataclass(frozen=True)
class AttackerLine:
    """The highest and the average risk, and the share above the threshold."""

    name: str
    words: str
    pairs: tuple[RiskPair | None, RiskPair, RiskPair | None]
    bound: str


@dataclass(frozen=True)
class AttackerTable:
    threshold: str
    rows: list[AttackerLine]


def attacker_table(report: Report) -> AttackerTable | None:
    """Return the risk by attacker; None for reports of versions that did not measure it.

    Viewers without row access see only the risk after.
    """
    before, after = details_before(report), details_after(report)
    if after is None:
        return None
    pairs = {
        "prosecutor": (before.prosecutor if before else None, after.prosecutor),
        "journalist": (before.journalist if before else None, after.journalist),
        "marketer": (before.marketer if before else None, after.marketer),
    }
    return AttackerTable(
        threshold=percent(after.prosecutor.threshold),
        rows=[_attacker_line(name, *pair, _why_at_most(report)) for name, pair in pairs.items()],
    )


def _attacker_line(
    name: str, before: AttackerSummary | None, after: AttackerSummary, why_at_most: str
) -> AttackerLine:

    def pair(value: Callable[[AttackerSummary], float]) -> RiskPair:
        return RiskPair("" if before is None else percent(value(before)), percent(value(after)))

    # A marketer is interested in the average share of right matches, not in single ones.
    cares_for_single_matches = name != "marketer"
    return AttackerLine(
        name=name.capitalize(),
        words=ATTACKERS[name],
        pairs=(
            pair(lambda own: own.highest) if cares_for_single_matches else None,
            pair(lambda own: own.average),
            pair(lambda own: own.share_above) if cares_for_single_matches else None,
        ),
        bound=why_at_most if after.is_bound else "",
    )


def _why_at_most(report: Report) -> str:
    if report.risk.after.population is not None:
        return "the population lacks some of these people, so this is at most"
    return "no population is known, so this is at most"


def marketer_sentence(report: Report) -> str:
    """Say how many matches are right if somebody matches all people of the release."""
    released = report.rows.released
    average = report.risk.after.marketer
    said = (
        f"Somebody who matches all {people(released)} of the release is right about "
        f"{thousands(round(average * released))} of them, {percent(average)}"
    )
    if report.risk.before is None:
        return f"{said}."
    before = report.risk.before.marketer
    right = round(before * report.input.rows)
    return f"{said}; on the table as it came it would be {thousands(right)}, {percent(before)}."


def combinations_table(report: Report, most: int = 8) -> ChartTable | None:
    """Return the small sets of columns that separate most pairs of people in the original table."""
    details = details_before(report)
    if details is None or not details.combinations:
        return None
    return ChartTable(
        ["Columns together", "Different patterns", "Pairs of people told apart"],
        [
            [" + ".join(entry.columns), thousands(entry.distinct), percent(entry.separation)]
            for entry in details.combinations[:most]
        ],
    )


def population_sentence(report: Report) -> str:
    details = details_after(report)
    found = details.population_uniques if details is not None else None
    if found is None:
        return ""
    return (
        f"In a population of {thousands(found.population_size)}, about "
        f"{people(round(found.estimate))} would be one of a kind at this level of detail; "
        f"estimates lie between {thousands(round(found.lowest))} and "
        f"{thousands(round(found.highest))}."
    )
