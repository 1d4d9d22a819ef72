"""The chart of what each level of a taxonomy costs."""

from collections.abc import Sequence
from typing import Any

from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import bars, draw_figure
from deid_portal.engine.charts.look import ACCENT, MUTE
from deid_portal.engine.taxonomies import LevelEffect
from deid_portal.engine.wording.numbers import NBSP


def effect_of(effects: Sequence[LevelEffect], *, is_whole: bool) -> Chart | None:
    """Return the chart, or None without levels."""
    if not effects:
        return None
    return Chart(
        id="effect",
        title=effect_title(effects),
        caption="Detail lost at each level, for this column alone; on top, the values left",
        figure=_figure(effects),
        note="" if is_whole else "Counted without the values that have no place yet.",
        table=ChartTable(
            ["Level", "Values left", "Smallest", "Lost"],
            [
                [
                    _level(effect),
                    f"{effect.values_left:,}",
                    _rows(effect.smallest_group),
                    f"{effect.loss:.2f}",
                ]
                for effect in effects
            ],
        ),
    )


def effect_title(effects: Sequence[LevelEffect]) -> str:
    """Say in one sentence what the first level does that joins any values."""
    if not effects:
        return ""
    exact = effects[0]
    if len(effects) < 2:
        return f"{_values(exact.values_left)}, and no coarser level"
    first = effects[1]
    if len(effects) == 2 and first.values_left == 1:
        return "There is no step between exact and hidden"
    first = next((one for one in effects if one.values_left < exact.values_left), first)
    share = 100 * first.loss
    lost = f"{share:.0f}{NBSP}%" if share >= 1 else f"less than 1{NBSP}%"
    return (
        f"At level {first.level}, {_values(exact.values_left)} become {first.values_left:,} "
        f"and the column loses {lost} of its detail"
    )


def _level(effect: LevelEffect) -> str:
    """Write the number, and the name where it says more."""
    if effect.name == f"level {effect.level}":
        return str(effect.level)
    return f"{effect.level} · {effect.name}"


def _values(count: int) -> str:
    return "1 value" if count == 1 else f"{count:,} values"


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _figure(effects: Sequence[LevelEffect]) -> Any:
    trace = bars(
        [str(effect.level) for effect in effects],
        [effect.loss for effect in effects],
        texts=[f"{effect.values_left:,}" for effect in effects],
        color=[ACCENT if effect.level == 1 else MUTE for effect in effects],
        hover="Level %{x}: %{y:.4f} lost",
        textfont_size=12,
        constraintext="none",
    )
    axis = {"range": [0, 1.05], "dtick": 0.5}
    return draw_figure([trace], x="Level", y="Detail lost", height=200, margin_t=22, yaxis=axis)
