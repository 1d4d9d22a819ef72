"""Charts of a report with links on their bars, for pages."""

from collections.abc import Sequence
from dataclasses import replace

from deid_portal.engine.charts.chart import Chart, LinkedCell
from deid_portal.engine.charts.groups import (
    class_bins,
    classes_chart,
    left_out_bins,
    left_out_sizes_chart,
)
from deid_portal.engine.report import Report
from deid_portal.engine.report.classes import SizeBin
from deid_portal.engine.report.left_out import GroupsApart


def linked_classes_chart(report: Report, address: str) -> Chart:
    """Class sizes; each bar links to the columns that separate its classes."""
    known = {own.from_ for own in report.isolation or ()}
    bins = class_bins(report)
    is_linked = [own.from_ in known and own.count > 0 for own in bins]
    return _linked(classes_chart(report), bins, address, is_linked)


def linked_left_out_chart(report: Report, address: str) -> Chart | None:
    """Sizes of suppressed classes; each bar links to the columns that isolate them."""
    chart, bins = left_out_sizes_chart(report), left_out_bins(report)
    if chart is None:
        return None
    told = replace(chart, caption=f"{chart.caption}; a bar opens what isolates them")
    return _linked(told, bins, address, [True] * len(bins))


def _linked(
    chart: Chart, bins: Sequence[SizeBin | GroupsApart], address: str, is_linked: Sequence[bool]
) -> Chart:
    """Link the cells of the first row of the table, which correspond to the bars."""
    if chart.table is None:
        return chart
    (name, *cells), *rest = chart.table.rows
    linked = [
        LinkedCell(str(cell), f"{address}?size={own.from_}#apart", place) if leads else cell
        for place, (cell, own, leads) in enumerate(zip(cells, bins, is_linked, strict=True))
    ]
    return replace(chart, table=replace(chart.table, rows=[[name, *linked], *rest]))
