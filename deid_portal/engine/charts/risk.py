"""Charts of re-identification risk: by attacker, by threshold, and without single columns."""

from collections.abc import Mapping, Sequence
from typing import Any

from deid_portal.engine.charts.bins import band_label, in_percent
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import draw_figure, grouped_bars, polyline, ranked_bars
from deid_portal.engine.charts.findings import influence_finding, risk_finding, threshold_finding
from deid_portal.engine.charts.look import ACCENT, BEFORE
from deid_portal.engine.report import Report
from deid_portal.engine.report.risk import ColumnInfluence, PairInfluence, RiskDetails
from deid_portal.engine.wording.numbers import NBSP, one_in, percent, thousands
from deid_portal.engine.wording.words import listed

MOST_COLUMNS = 20
CHANCE = "Chance that a match is right"
PEOPLE = "People, %"
# Color, dash and marker of the lines before and after.
LINES = {"Before": (BEFORE, "dash", "diamond"), "After": (ACCENT, "solid", "circle")}


def risk_bands_chart(report: Report) -> Chart:
    """Risk before and after; only after for viewers without row access."""
    before, after = report.risk.before, report.risk.after
    labels = [band_label(band) for band in after.bands]
    states = {"Before": before, "After": after}
    shares = {when: [band.share for band in state.bands] for when, state in states.items() if state}
    return Chart(
        id="risk",
        title=risk_finding(before, after),
        caption="Share of people by the chance that a match is right (prosecutor), in percent",
        figure=grouped_bars(labels, in_percent(shares), x=CHANCE, y=PEOPLE),
        table=ChartTable(
            ["Chance", *labels],
            [[name, *(_bare_percent(share) for share in own)] for name, own in shares.items()],
        ),
    )


def _bare_percent(share: float) -> str:
    """Write percent without the sign, which the caption of the table already has."""
    return percent(share).removesuffix(f"{NBSP}%")


def journalist_chart(report: Report) -> Chart | None:
    """Journalist risk if a population is known; otherwise it equals prosecutor risk."""
    before, after = details_before(report), details_after(report)
    if after is None or not after.journalist.tells("bands"):
        return None
    is_counted = report.risk.after.population is not None or not after.journalist.is_bound
    if not is_counted:
        return None
    labels = [band_label(band) for band in report.risk.after.bands]
    states = {"Before": before, "After": after}
    shares = {when: own.journalist.bands for when, own in states.items() if own}
    highest = after.journalist.highest
    return Chart(
        id="journalist",
        title=f"Who only knows the population is right at most {one_in(highest)} times",
        caption="Share of people by the chance that a match is right (journalist), in percent",
        figure=grouped_bars(labels, in_percent(shares), x=CHANCE, y=PEOPLE),
        table=ChartTable(["Chance", *labels], _rows_of(shares)),
    )


def _rows_of(shares: Mapping[str, Sequence[float]]) -> list[list[str]]:
    return [[name, *(percent(share) for share in own)] for name, own in shares.items()]


def threshold_chart(report: Report) -> Chart | None:
    """Share of people whose risk is above each threshold, before and after."""
    before, after = details_before(report), details_after(report)
    if after is None or not after.prosecutor.tells("above"):
        return None
    chances = [entry.chance for entry in after.prosecutor.above][::-1]
    labels = [percent(chance, 0) for chance in chances]
    states = {"Before": before, "After": after}
    series = {
        when: [entry.share for entry in own.prosecutor.above][::-1]
        for when, own in states.items()
        if own
    }
    lines = [_threshold_line(labels, own, when) for when, own in series.items()]
    return Chart(
        id="thresholds",
        title=threshold_finding(before.prosecutor if before else None, after.prosecutor),
        caption="Share of people whose chance of a right match is above each threshold, in percent",
        figure=draw_figure(lines, x="Chance of a right match above", y=PEOPLE),
        table=ChartTable(["Above", *labels], _rows_of(series)),
    )


def _threshold_line(labels: list[str], shares: Sequence[float], name: str) -> Any:
    color, dash, symbol = LINES[name]
    return polyline(
        labels,
        [100 * share for share in shares],
        name=name,
        color=color,
        dash=dash,
        mode="lines+markers",
        marker={"color": color, "symbol": symbol, "size": 8},
        hover="above %{x}: %{y:.1f}",
    )


def influence_chart(report: Report) -> Chart | None:
    """Influence of each column: by how much average risk is lower without it.

    Where no single column helps, the pairs of columns that do most follow.
    """
    before = details_before(report)
    columns = before.columns[:MOST_COLUMNS] if before is not None else ()
    if before is None or len(columns) < 2:
        return None
    found: list[tuple[str, ColumnInfluence | PairInfluence]] = [
        *((entry.column, entry) for entry in columns),
        *((listed(entry.columns), entry) for entry in before.pairs or ()),
    ]
    return Chart(
        id="influence",
        title=influence_finding(before),
        caption="Average risk of the original table that goes away with each column, in percent",
        figure=ranked_bars(
            [name for name, _ in found],
            [100 * entry.average_risk_saved for _, entry in found],
            "Average risk saved, percentage points of all there is",
            whole=100 * before.prosecutor.average,
        ),
        table=ChartTable(
            ["Without", "Average risk", "One of a kind"],
            [
                [name, percent(entry.average_risk), thousands(entry.sample_uniques)]
                for name, entry in found
            ],
        ),
    )


def details_before(report: Report) -> RiskDetails | None:
    return report.risk.details.before if report.risk.details else None


def details_after(report: Report) -> RiskDetails | None:
    return report.risk.details.after if report.risk.details else None
