"""The page of distributions before and after, of single columns and of pairs."""

from dataclasses import dataclass

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.distributions import (
    labels_chart,
    moved_share,
    one_way_chart,
    two_way_chart,
)
from deid_portal.engine.report import Report


@dataclass(frozen=True)
class Distributions:
    """The columns to choose from, and the charts of the chosen ones."""

    columns: list[str]
    column: str
    one_way: Chart
    crossed: list[str]
    first: str
    second: str
    two_way: Chart | None


def view_distributions(
    report: Report, column: str = "", first: str = "", second: str = ""
) -> Distributions | None:
    told = report.distributions
    if told is None or not told.columns:
        return None
    entries = {entry.column: entry for entry in told.columns}
    chosen = entries.get(column) or max(entries.values(), key=moved_share)
    crossed = [entry.column for entry in told.crossed]
    pair = _choose_pair(crossed, first, second)
    return Distributions(
        columns=list(entries),
        column=chosen.column,
        one_way=one_way_chart(report, chosen),
        crossed=crossed,
        first=pair[0] if pair else "",
        second=pair[1] if pair else "",
        two_way=two_way_chart(report, *pair) if pair else None,
    )


@dataclass(frozen=True)
class LabelsView:
    """For viewers without row access: the labels of one released column."""

    columns: list[str]
    column: str
    chart: Chart


def view_released_labels(report: Report, column: str = "") -> LabelsView | None:
    entries = {entry.column: entry for entry in report.released_labels or ()}
    if not entries:
        return None
    chosen = entries.get(column) or next(iter(entries.values()))
    return LabelsView(list(entries), chosen.column, labels_chart(chosen))


def _choose_pair(crossed: list[str], first: str, second: str) -> tuple[str, str] | None:
    """Return the requested pair, or another if it is unknown or twice the same column."""
    if len(crossed) < 2:
        return None
    one = first if first in crossed else crossed[0]
    others = [name for name in crossed if name != one]
    return one, second if second in others else others[0]
