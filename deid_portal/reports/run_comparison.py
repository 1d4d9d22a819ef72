"""Compares two runs column by column, and says in words which is better for what.

Pure functions of two summaries. Smaller figures are better, except for the number of groups;
differences too small to notice count as equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from deid_portal.engine.report.left_out import PayingGroup
from deid_portal.engine.report.summary import RunSummary
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.wording.numbers import middle_cut, percent
from deid_portal.reports.columns import level_label
from deid_portal.reports.scenarios import NOTABLE_SHARE, Scenario

A, B = "A", "B"
SAME = ""
NOTABLE_LOSS = 0.001  # as `NOTABLE_SHARE`
COLUMNS_NAMED = 3
NAME_LENGTH = 28
STUDIED = 0.05  # difference in loss of a column that is a reason to choose a run
SMALL_GROUP = 100  # people; shares of smaller groups are not meaningful
SMALLEST_COUNT = 5  # people


@dataclass(frozen=True)
class ComparisonLine:
    """One column or number in both runs."""

    name: str
    a: str
    b: str
    words: str
    better: str = SAME  # A, B, or neither
    a_lost: float | None = None
    b_lost: float | None = None
    differs: bool = False
    is_column: bool = False


@dataclass(frozen=True)
class ComparisonVerdict:
    headline: str
    difference: str
    choices: list[tuple[str, str]]  # A or B, and when to choose it


@dataclass(frozen=True)
class Comparison:
    lines: list[ComparisonLine]
    verdict: ComparisonVerdict
    exact_in_both: list[str] = field(default_factory=list)
    only_in_a: list[str] = field(default_factory=list)
    only_in_b: list[str] = field(default_factory=list)

    def differences_first(self) -> list[ComparisonLine]:
        """Return differing columns, then differing numbers, then the rest in its order."""
        return sorted(
            self.lines,
            key=lambda line: (
                not line.differs,
                not line.is_column,
                -abs((line.a_lost or 0) - (line.b_lost or 0)) if line.differs else 0,
            ),
        )


def compare(a: Scenario, b: Scenario) -> Comparison:
    """Compare two runs that ended with a release, on the quasi-identifiers they share."""
    mine, others = _protected(a.summary), _protected(b.summary)
    shared = [name for name in mine if name in others]
    columns = [_column_line(name, mine[name], others[name]) for name in shared]
    exact = [name for name in shared if _is_exact(mine[name]) and _is_exact(others[name])]
    return Comparison(
        lines=[line for line in columns if line.name not in exact] + list(_number_lines(a, b)),
        verdict=_judge(a, b, columns),
        exact_in_both=exact,
        only_in_a=[name for name in mine if name not in others],
        only_in_b=[name for name in others if name not in mine],
    )


def _protected(summary: RunSummary) -> dict[str, ColumnReport]:
    return {
        name: column
        for name, column in summary.columns.items()
        if column.role == "quasi-identifier"
    }


def _is_exact(column: ColumnReport) -> bool:
    return column.level == 0


def _column_line(name: str, mine: ColumnReport, others: ColumnReport) -> ComparisonLine:
    a_lost, b_lost = mine.loss, others.loss
    same_level = mine.level == others.level and mine.level is not None
    if same_level:
        words, better = "same level", SAME
    else:
        better = _less(a_lost, b_lost, NOTABLE_LOSS)
        words = _values_words(mine, others, better)
    return ComparisonLine(
        name=name,
        a=_shown(mine),
        b=_shown(others),
        words=words,
        better=better,
        a_lost=a_lost,
        b_lost=b_lost,
        differs=not same_level and words != "",
        is_column=True,
    )


def _shown(column: ColumnReport) -> str:
    """Say how a column is shown: "exact (7 values)", "hidden", "continent"."""
    label, values = level_label(column), column.distinct_after
    if label == "hidden" or values is None:
        return label
    return f"{label} ({_counted(values, 'value')})"


def _values_words(mine: ColumnReport, others: ColumnReport, better: str) -> str:
    """Say how many values each run keeps; a single value counts as none, since it is constant.

    Not for labels of several levels: they overlap, so there can be more of them than values.
    """
    if mine.level is None or others.level is None:
        return f"{better} keeps more of it" if better else "shown differently"
    kept_by_a, kept_by_b = mine.distinct_after, others.distinct_after
    if kept_by_a is None or kept_by_b is None:
        return "shown differently"
    more, fewer = (A, B) if kept_by_a >= kept_by_b else (B, A)
    most, least = max(kept_by_a, kept_by_b), min(kept_by_a, kept_by_b)
    if most == least:
        return f"both keep {_counted(most, 'value')}, of other groups"
    is_all = most == mine.distinct_before
    many = f"all {most:,} values" if is_all else _counted(most, "value")
    few = "none" if least <= 1 else f"{least:,}"
    return f"{more} keeps {many}, {fewer} {few}"


def _number_lines(a: Scenario, b: Scenario) -> Iterator[ComparisonLine]:
    yield _detail_line(a, b)
    yield _cost_line(a, b)
    smallest = _smallest_group(a, b)
    if smallest is not None:
        yield smallest
    yield _risk_line("Average risk", a.average_risk, b.average_risk)
    yield _risk_line("Highest risk", a.highest_risk, b.highest_risk)
    yield _line(
        "Groups",
        f"{a.groups:,}, smallest {a.smallest_group:,}",
        f"{b.groups:,}, smallest {b.smallest_group:,}",
        _less(-a.groups, -b.groups, 0),
        "{} keeps finer groups",
    )
    yield from _guess_lines(a, b)


def _detail_line(a: Scenario, b: Scenario) -> ComparisonLine:
    """Compare the loss or, if it is not known of both, the precision."""
    better = _keeps_detail(a, b)
    if a.loss is not None and b.loss is not None:
        words = f"{{}} loses {abs(a.loss - b.loss):.2f} less"
        return _line("Detail lost", f"{a.loss:.4f}", f"{b.loss:.4f}", better, words)
    return _line("Detail lost", a.lost_words, b.lost_words, better, "{} loses less")


def _keeps_detail(a: Scenario, b: Scenario) -> str:
    """Return which run keeps more detail."""
    if a.loss is not None and b.loss is not None:
        return _less(a.loss, b.loss, NOTABLE_LOSS)
    if a.precision is None or b.precision is None:
        return SAME
    return _less(-a.precision, -b.precision, NOTABLE_LOSS)


def _cost_line(a: Scenario, b: Scenario) -> ComparisonLine:
    mine, others = a.cost, b.cost
    more = abs(mine.kept - others.kept)
    words = mine.kept_words.format("{}", count=f"{more:,}", s="" if more == 1 else "s")
    better = _less(mine.share, others.share, mine.notable)
    return _line(mine.title, mine.words, others.words, better, words)


def _risk_line(name: str, mine: float, others: float) -> ComparisonLine:
    smaller, larger = sorted((mine, others))
    words = f"{{}} has {percent(larger - smaller)} less"
    times = larger / smaller if smaller > 0 else 0
    if times >= 2.5:
        words = f"{{}} has 1 / {times:.0f} of it"
    elif times >= 1.75:
        words = "{} halves it" if times >= 1.95 else "{} nearly halves it"
    return _line(name, percent(mine), percent(others), _less(mine, others, NOTABLE_SHARE), words)


def _smallest_group(a: Scenario, b: Scenario) -> ComparisonLine | None:
    """Compare the suppression of a small group of people that both summaries contain."""
    found = _small_group(a, b)
    if found is None:
        return None
    key, first, second = found
    return _line(
        f"Left out, {group_name(*key)}",
        _of_group(first),
        _of_group(second),
        _less(_share(first), _share(second), NOTABLE_SHARE),
        "{} is kinder to this small group",
    )


def _small_group(
    a: Scenario, b: Scenario
) -> tuple[tuple[str, str], PayingGroup, PayingGroup] | None:
    """Return the smallest group of at least SMALL_GROUP people, else the largest, in both runs."""
    mine, others = _groups_of(a.summary), _groups_of(b.summary)
    shared = [key for key in mine if key in others]
    if not shared:
        return None
    large = [key for key in shared if mine[key].records >= SMALL_GROUP]
    if large:
        key = min(large, key=lambda key: (mine[key].records, key))
    else:
        key = max(shared, key=lambda key: (mine[key].records, key))
    return key, mine[key], others[key]


def _groups_of(summary: RunSummary) -> dict[tuple[str, str], PayingGroup]:
    return {
        (table.column, str(group.value)): group
        for table in summary.who_pays or ()
        for group in table.groups
    }


def group_name(column: str, value: str) -> str:
    return f"{middle_cut(column, NAME_LENGTH)} “{middle_cut(value, NAME_LENGTH)}”"


def _share(group: PayingGroup) -> float:
    """Return the share left out; fewer than five count as none, so as not to single them out."""
    left_out = group.suppressed if group.suppressed >= SMALLEST_COUNT else 0
    return left_out / max(group.records, 1)


def _of_group(group: PayingGroup) -> str:
    left_out, records = group.suppressed, group.records
    if left_out < SMALLEST_COUNT:
        return f"fewer than {SMALLEST_COUNT} of {records:,}"
    return f"{left_out:,} of {records:,} ({percent(_share(group))})"


def _guess_lines(a: Scenario, b: Scenario) -> Iterator[ComparisonLine]:
    mine, others = _guesses(a.summary), _guesses(b.summary)
    for column in mine:
        if column in others:
            yield _line(
                f"Surest guess of {middle_cut(column, NAME_LENGTH)}",
                percent(mine[column]),
                percent(others[column]),
                _less(mine[column], others[column], NOTABLE_SHARE),
                "{} lets less be guessed",
            )


def _guesses(summary: RunSummary) -> dict[str, float]:
    return {column: entry.surest_guess for column, entry in (summary.sensitive or {}).items()}


def _line(name: str, a: str, b: str, better: str, words: str) -> ComparisonLine:
    """Make a line about a number; `words` is a format string for the better run."""
    said = words.format(better) if better else "the same"
    return ComparisonLine(name, a, b, said, better, differs=bool(better))


def _less(mine: float | None, others: float | None, notable: float) -> str:
    if mine is None or others is None or abs(mine - others) <= notable:
        return SAME
    return A if mine < others else B


def _judge(a: Scenario, b: Scenario, columns: list[ComparisonLine]) -> ComparisonVerdict:
    detail = _keeps_detail(a, b)
    people = _less(a.share_left_out, b.share_left_out, NOTABLE_SHARE)
    risk = _less(a.average_risk, b.average_risk, NOTABLE_SHARE)
    return ComparisonVerdict(
        headline=headline_of(detail, people, risk),
        difference=_difference(a, b, [line for line in columns if line.differs], len(columns)),
        choices=list(_choices(a, b, columns, detail, people, risk)),
    )


def headline_of(detail: str, people: str, risk: str) -> str:
    """Say which run is better at what; each argument is A, B or SAME."""
    phrases = {"keeps more detail": detail, "keeps more people": people}
    # More detail usually means more risk, so risk comes last.
    phrases["has the lower risk"] = risk
    won = {own: [words for words, who in phrases.items() if who == own] for own in (A, B)}
    if won[A] and won[B]:
        return f"A {_joined(won[A])}, B {_joined(won[B])}."
    if won[A] or won[B]:
        winner, loser = (A, B) if won[A] else (B, A)
        return f"{winner} {_joined(won[winner])}; nothing measured here speaks for {loser}."
    return "They come to the same."


def _joined(phrases: list[str]) -> str:
    """Join phrases that begin with a verb, without repeating "keeps more"."""
    if phrases[:2] == ["keeps more detail", "keeps more people"]:
        phrases = ["keeps more detail and more people", *phrases[2:]]
    return " and ".join(phrases)


def _difference(a: Scenario, b: Scenario, differing: list[ComparisonLine], count: int) -> str:
    if not differing:
        return "Every column is shown at the same level in both." if count else ""
    largest = max(differing, key=lambda line: abs((line.a_lost or 0) - (line.b_lost or 0)))
    name = middle_cut(largest.name, NAME_LENGTH)
    told = f"{name}: A {_leaves(largest.a)}, B {_leaves(largest.b)}"
    if len(differing) == 1:
        return f"The one difference is {told}{_and_so(a, b, largest)}."
    names = [middle_cut(line.name, NAME_LENGTH) for line in differing]
    if len(names) <= COLUMNS_NAMED:
        listed = f"{', '.join(names[:-1])} and {names[-1]}"
        return f"They differ in {listed}. The most in {told}."
    return f"They differ in {len(names)} of {count} columns, the most in {told}."


def _leaves(shown: str) -> str:
    if shown.startswith("exact"):
        return "leaves it exact"
    return "hides it" if shown == "hidden" else f"shows {shown}"


def _and_so(a: Scenario, b: Scenario, line: ComparisonLine) -> str:
    """Say how many more rows the run with less detail keeps."""
    more = abs(a.rows_left_out - b.rows_left_out)
    keeps = _less(a.rows_left_out, b.rows_left_out, 0)
    if not keeps or keeps == line.better or not line.better:
        return ""
    gained = f"keeps {_counted(more, 'more row')}"
    return f" and so {gained}" if keeps == B else f"; A so {gained}"


def _choices(
    a: Scenario, b: Scenario, columns: list[ComparisonLine], detail: str, people: str, risk: str
) -> Iterator[tuple[str, str]]:
    for own in (A, B):
        reasons = _reasons(own, a, b, columns, detail, people, risk)
        if reasons:
            yield own, reasons[0]


def _reasons(
    own: str,
    a: Scenario,
    b: Scenario,
    columns: list[ComparisonLine],
    detail: str,
    people: str,
    risk: str,
) -> list[str]:
    finer = [line for line in columns if line.better == own and _by_far(line)]
    finer.sort(key=lambda line: -abs((line.a_lost or 0) - (line.b_lost or 0)))
    reasons = []
    if people == own:
        reasons.append(_for_people(own, a, b))
    if finer and people != own:
        names = " and ".join(middle_cut(line.name, NAME_LENGTH) for line in finer[:2])
        reasons.append(f"when {names} {'is' if len(finer[:2]) == 1 else 'are'} studied.")
    if risk == own:
        reasons.append("when the risk must be as low as it can be.")
    if detail == own:
        reasons.append("when detail matters most.")
    return reasons


def _by_far(line: ComparisonLine) -> bool:
    return abs((line.a_lost or 0) - (line.b_lost or 0)) >= STUDIED


def _for_people(own: str, a: Scenario, b: Scenario) -> str:
    line, found = _smallest_group(a, b), _small_group(a, b)
    if line is None or found is None or line.better != own:
        return "when as many people as possible must stay in."
    key, first, second = found
    kinder, harder = (first, second) if own == A else (second, first)
    return (
        f"when small groups must stay in: {group_name(*key)} loses {percent(_share(kinder), 0)} "
        f"instead of {percent(_share(harder), 0)}."
    )


def _counted(count: int, words: str) -> str:
    return f"{count:,} {words}" + ("" if count == 1 else "s")
