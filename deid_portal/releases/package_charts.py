"""The charts of a certificate: charts of the published report, as SVG."""

from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.detail import loss_chart
from deid_portal.engine.charts.groups import classes_chart
from deid_portal.engine.charts.risk import risk_bands_chart
from deid_portal.engine.charts.svg import write_svg
from deid_portal.engine.report import Report

MOST_COLUMNS = 12


@dataclass(frozen=True)
class PackageChart:
    title: str
    caption: str
    svg: SafeString


def charts_of_package(report: Report) -> list[PackageChart]:
    """Return the charts that a published report has the figures for."""
    charts = [risk_bands_chart(report), classes_chart(report), loss_chart(report, MOST_COLUMNS)]
    return [
        _draw(chart) for chart in charts if chart is not None and chart.table and chart.table.rows
    ]


def _draw(chart: Chart) -> PackageChart:
    # Safe: numbers, and names escaped by `write_svg`.
    return PackageChart(chart.title, chart.caption, mark_safe(write_svg(chart.figure)))  # noqa: S308
