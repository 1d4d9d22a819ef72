"""The page of sensitive values: their distribution in classes and in the table (l and t)."""

from dataclasses import dataclass

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.spread import distance_chart, group_chart, variety_chart
from deid_portal.engine.report import Report
from deid_portal.engine.report.sensitive import SensitiveSpread, WorstGroup
from deid_portal.engine.wording.numbers import percent, thousands
from deid_portal.engine.wording.words import people, share_words, value_words

MOST_LISTED = 5  # groups; report.json holds ten
ROOT_LABEL = "*"  # what a hidden column shows


@dataclass(frozen=True)
class WorstGroupRow:
    """A row of the list of worst groups; `key` is the query parameter that selects its chart."""

    number: int
    key: str
    size: str
    l: int  # noqa: E741 - the l of l-diversity
    t: str
    most: str
    labels: list[str]


@dataclass(frozen=True)
class SpreadView:
    """One sensitive column: variety within groups, distances from the table, the worst groups."""

    column: str
    variety: Chart
    distance: Chart | None = None  # this and the following fields are for stewards only
    worst: tuple[WorstGroupRow, ...] = ()
    worst_title: str = ""
    number: int = 0  # of the group that is drawn
    chosen: Chart | None = None


def describe_spreads(report: Report, wanted: str = "") -> list[SpreadView]:
    """`wanted` is "column:number" of the group to draw, by default the worst one."""
    column, _, number = wanted.rpartition(":")
    chosen = int(number) if number.isdigit() else 0
    return [
        _describe(entry, place, chosen if entry.column == column else 0)
        for place, entry in enumerate(report.spread or ())
    ]


def _describe(entry: SensitiveSpread, place: int, wanted: int) -> SpreadView:
    if not entry.tells("worst"):
        return SpreadView(column=entry.column, variety=variety_chart(entry, place))
    number = max(min(wanted, len(entry.worst) - 1, MOST_LISTED - 1), 0)
    return SpreadView(
        column=entry.column,
        variety=variety_chart(entry, place),
        distance=distance_chart(entry, place),
        worst=tuple(_worst_row(entry, *own) for own in enumerate(entry.worst[:MOST_LISTED])),
        worst_title=_worst_title(entry),
        number=number,
        chosen=group_chart(entry, place, number),
    )


def _worst_title(entry: SensitiveSpread) -> str:
    if not entry.worst:
        return "There is no group to look at"
    first = entry.worst[0]
    who = f"a group of {people(first.size)}"
    if first.l == 1:
        return f"The worst is {who} who all have the same {entry.column}"
    share = share_words(first.most / first.size)
    return f"The worst is {who}: {share} of them have the same {entry.column}"


def _worst_row(entry: SensitiveSpread, number: int, group: WorstGroup) -> WorstGroupRow:
    labels = (group.labels or {}).values()
    return WorstGroupRow(
        number=number,
        key=f"{entry.column}:{number}",
        size=thousands(group.size),
        l=group.l,
        t=f"{group.t:.2f}",
        most=percent(group.most / group.size, 0),
        labels=[value_words(label) for label in labels if label != ROOT_LABEL],
    )
