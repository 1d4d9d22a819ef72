"""Charts of class sizes: of the release, and of suppressed records."""

from collections.abc import Sequence

from deid_portal.engine.charts.bins import bin_label
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import marked_bars
from deid_portal.engine.charts.findings import classes_finding, left_out_finding
from deid_portal.engine.charts.look import BEFORE
from deid_portal.engine.report import Report
from deid_portal.engine.report.classes import SizeBin
from deid_portal.engine.report.left_out import GroupsApart
from deid_portal.engine.wording.numbers import thousands
from deid_portal.engine.wording.words import counted


def classes_chart(report: Report) -> Chart:
    """Class sizes of the release."""
    bins = class_bins(report)
    labels = [bin_label(own) for own in bins]
    counts = [own.count for own in bins]
    return Chart(
        id="classes",
        title=classes_finding(report.classes),
        caption="Number of equivalence classes by size; rows left out are not counted",
        figure=marked_bars(labels, counts, x="People in the group", y="Groups"),
        table=ChartTable(["Size", *labels], [["Groups", *map(thousands, counts)]]),
        note=_groups_before(report.classes.bins_before or ()),
    )


def class_bins(report: Report) -> Sequence[SizeBin]:
    """Return the bins to draw, from the smallest to the largest class."""
    bins = report.classes.bins
    used = [place for place, own in enumerate(bins) if own.count]
    return bins[used[0] : used[-1] + 1] if used else ()


def _groups_before(bins: Sequence[SizeBin]) -> str:
    total = sum(own.count for own in bins)
    alone = sum(own.count for own in bins if own.to == 1)
    if not total:
        return ""
    return f"Before: {alone:,} of {counted(total, 'group')} held one person."


def left_out_sizes_chart(report: Report) -> Chart | None:
    """Sizes of the classes that were suppressed."""
    bins = left_out_bins(report)
    if not bins:
        return None
    labels = [bin_label(own) for own in bins]
    counts = [own.left_out for own in bins]
    return Chart(
        id="left-out-sizes",
        title=left_out_finding(bins),
        caption="People left out by the size of the group they would have been in",
        figure=marked_bars(
            labels, counts, x="People in the group", y="People left out", color=BEFORE
        ),
        table=ChartTable(
            ["Size", *labels],
            [
                ["People", *map(thousands, counts)],
                ["Groups", *(thousands(own.classes_left_out) for own in bins)],
            ],
        ),
    )


def left_out_bins(report: Report) -> list[GroupsApart]:
    return [own for own in report.isolation or () if own.left_out]
