"""The page of suppression and loss by the groups of one column."""

from dataclasses import dataclass

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.who_pays import left_out_shares_chart, lost_chart
from deid_portal.engine.report import Report
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup

LARGE = 100  # people


@dataclass(frozen=True)
class WhoPays:
    """The columns to choose from, the chosen one, and its charts."""

    columns: list[str]
    column: str
    charts: list[Chart]  # suppressed rows, if any, then loss


def describe_who_pays(report: Report, wanted: str = "") -> WhoPays | None:
    """Return the burden by a column, by default the one whose groups differ most."""
    entries = {entry.column: entry for entry in report.who_pays or () if entry.groups}
    if not entries:
        return None
    chosen = entries.get(wanted) or _most_uneven(report, list(entries.values()))
    charts = [left_out_shares_chart(chosen, report.rows)] if report.rows.suppressed else []
    return WhoPays(list(entries), chosen.column, [*charts, lost_chart(chosen)])


def _most_uneven(report: Report, entries: list[PayingColumn]) -> PayingColumn:
    """Return the column whose groups differ most, judged by groups of at least LARGE people."""
    burden = _share_left_out if report.rows.suppressed else _loss

    def gap(entry: PayingColumn) -> float:
        large = [group for group in entry.groups if group.records >= LARGE]
        told = [burden(group) for group in (large if len(large) > 1 else entry.groups)]
        return max(told) - min(told) - (len(large) < 2)

    return max(entries, key=gap)


def _share_left_out(group: PayingGroup) -> float:
    return group.share_left_out


def _loss(group: PayingGroup) -> float:
    return group.loss
