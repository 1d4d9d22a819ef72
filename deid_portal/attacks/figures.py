"""The chart of one attack: what was counted, the part an intruder gets marked."""

from typing import Any

from deid_portal.attacks.results import AttackSummary
from deid_portal.attacks.vocabulary import Wording
from deid_portal.engine.attacks.attack import AttackBins
from deid_portal.engine.wording.numbers import NBSP
from deid_portal.reports.figures import Chart, figure_of

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
        table={
            "columns": [spread.by, UNITS[spread.of]],
            "rows": [[own.label, _written(own.count, spread)] for own in spread.bins],
        },
    )


def _caption(spread: AttackBins) -> str:
    what = UNITS[spread.of].split(",")[0].lower()
    return (
        f"{spread.by}, in percent" if spread.of == "percent" else f"{spread.by}; number of {what}"
    )


def _figure(spread: AttackBins) -> dict[str, Any]:
    """Marked bars stand out; charts draw `before` with a pattern, so also without colour."""
    series = [
        {
            "type": "bar",
            "x": [own.label for own in bins],
            "y": [own.count for own in bins],
            "name": name,
            "text": [_written(own.count, spread) for own in bins],
            "textposition": "outside",
            "cliponaxis": False,
            "marker": {"color": f"token:{color}"},
            "hovertemplate": "%{x}: %{y:,}<extra></extra>",
        }
        for name, color, bins in (
            ("At stake", "before", [own for own in spread.bins if own.is_marked]),
            ("Others", "mute", [own for own in spread.bins if not own.is_marked]),
        )
        if bins
    ]
    figure = figure_of(series, x=spread.by, y=UNITS[spread.of])
    figure["layout"] |= {"barmode": "overlay", "showlegend": False, "height": 230}
    figure["layout"]["xaxis"] |= {
        "categoryorder": "array",
        "categoryarray": [own.label for own in spread.bins],
    }
    return figure


def _written(count: float, spread: AttackBins) -> str:
    return f"{count:.1f}{NBSP}%" if spread.of == "percent" else f"{count:,.0f}"
