"""The chart of one attack, with the intruder's success highlighted."""

from typing import Any

from deid_portal.attacks.results import AttackSummary
from deid_portal.attacks.vocabulary import Wording
from deid_portal.engine.attacks.attack import AttackBins
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import as_text, bars, draw_figure
from deid_portal.engine.charts.look import BEFORE, MUTE
from deid_portal.engine.wording.numbers import NBSP

UNITS = {"percent": "Right, %", "people": "People", "groups": "Groups", "records": "People"}


def attack_chart(result: AttackSummary, wording: Wording) -> Chart | None:
    spread = result.spread
    if spread is None or not spread.bins:
        return None
    return Chart(
        id="attack-chart",
        title=wording.chart(result),
        caption=_caption(spread),
        figure=_figure(spread),
        table=ChartTable(
            [spread.by, UNITS[spread.of]],
            [[own.label, _written(own.count, spread)] for own in spread.bins],
        ),
    )


def _caption(spread: AttackBins) -> str:
    what = UNITS[spread.of].split(",")[0].lower()
    return (
        f"{spread.by}, in percent" if spread.of == "percent" else f"{spread.by}; number of {what}"
    )


def _figure(spread: AttackBins) -> Any:
    """Draw highlighted bars, with a pattern so that they are distinguishable without color."""
    series = [
        bars(
            [own.label for own in binned],
            [own.count for own in binned],
            color=color,
            name=name,
            texts=[_written(own.count, spread) for own in binned],
            hover="%{x}: %{y:,}",
        )
        for name, color, binned in (
            ("At stake", BEFORE, [own for own in spread.bins if own.is_marked]),
            ("Others", MUTE, [own for own in spread.bins if not own.is_marked]),
        )
        if binned
    ]
    return draw_figure(
        series,
        x=spread.by,
        y=UNITS[spread.of],
        height=230,
        barmode="overlay",
        showlegend=False,
        xaxis_categoryorder="array",
        xaxis_categoryarray=[as_text(own.label) for own in spread.bins],
    )


def _written(count: float, spread: AttackBins) -> str:
    return f"{count:.1f}{NBSP}%" if spread.of == "percent" else f"{count:,.0f}"
