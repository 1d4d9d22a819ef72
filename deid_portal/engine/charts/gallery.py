"""All charts of a report, by names that can be used as file names."""

from collections.abc import Iterator
from typing import Any

from deid_portal.engine.charts import (
    detail,
    distributions,
    groups,
    networks,
    risk,
    spread,
    who_pays,
)
from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.figure_parts import with_title
from deid_portal.engine.report import Report
from deid_portal.engine.report.network import NetworkReport


def charts_of_report(report: Report) -> dict[str, Chart]:
    """Return the charts by name; empty if there is no release."""
    if not report.solution:
        return {}
    network = report.network
    told = _table_charts(report) if network is None else _network_charts(report, network)
    return {name: chart for name, chart in told if chart is not None}


def figures_of(report: Report) -> dict[str, Any]:
    """Return the Plotly figures by name, each with its finding as the title."""
    charts = charts_of_report(report).items()
    return {name: with_title(chart.figure, chart.title) for name, chart in charts}


def _table_charts(report: Report) -> Iterator[tuple[str, Chart | None]]:
    for chart in (
        risk.risk_bands_chart(report),
        risk.threshold_chart(report),
        risk.journalist_chart(report),
        risk.influence_chart(report),
        groups.classes_chart(report),
        groups.left_out_sizes_chart(report),
        detail.loss_chart(report),
        detail.change_chart(report),
        detail.classifier_chart(report),
        distributions.association_chart(report),
    ):
        if chart is not None:
            yield chart.id, chart
    yield from _distribution_charts(report)
    yield from _sensitive_charts(report)
    yield from _paying_charts(report)


def _distribution_charts(report: Report) -> Iterator[tuple[str, Chart | None]]:
    told = report.distributions
    if told is None:
        return
    for place, entry in enumerate(told.columns):
        yield f"distribution-{place}", distributions.one_way_chart(report, entry)
    names = [entry.column for entry in told.crossed]
    for place, pair in enumerate(told.pairs):
        first, second = (names[number] for number in pair.columns)
        yield f"pair-{place}", distributions.two_way_chart(report, first, second)


def _sensitive_charts(report: Report) -> Iterator[tuple[str, Chart | None]]:
    for place, entry in enumerate(report.spread or ()):
        yield f"variety-{place}", spread.variety_chart(entry, place)
        if entry.tells("worst"):  # absent for viewers without row access
            yield f"distance-{place}", spread.distance_chart(entry, place)
            yield f"worst-group-{place}", spread.group_chart(entry, place, 0)


def _paying_charts(report: Report) -> Iterator[tuple[str, Chart | None]]:
    told = [entry for entry in report.who_pays or () if entry.groups]
    for place, entry in enumerate(told):
        if report.rows.suppressed:
            yield f"who-pays-left-out-{place}", who_pays.left_out_shares_chart(entry, report.rows)
        yield f"who-pays-lost-{place}", who_pays.lost_chart(entry)


def _network_charts(report: Report, network: NetworkReport) -> Iterator[tuple[str, Chart | None]]:
    yield "knowledge", networks.knowledge_chart(network)
    yield "risk", risk.risk_bands_chart(report)
    yield "classes", groups.classes_chart(report)
    if report.beside is not None:
        for chart in networks.beside_charts(report.beside):
            yield f"links-{chart.id}", chart
    elif network.drawing is not None:
        after = networks.drawing_chart(network.drawing, chart_id="after", title="As it leaves")
        yield "links-after", after
