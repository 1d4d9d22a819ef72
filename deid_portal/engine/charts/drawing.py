"""The few kinds of drawings that charts are made of, as figures of Plotly in our look."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from deid_portal.engine.charts.look import (
    ACCENT,
    BARE_ROOM,
    BEFORE,
    HEIGHT,
    LEGEND_ROOM,
    SURFACE,
    TITLE_ROOM,
    look,
)

# Letters that fit under the bars of a chart: on half a page, on a whole one.
NARROW, WIDE = 76, 150
# Bars of what was before carry a pattern, so that they are told apart without color.
PATTERN = {"shape": "/", "fillmode": "overlay", "size": 6, "solidity": 0.25, "fgcolor": SURFACE}
Names = Sequence[str]
Numbers = Sequence[float | None]


def draw(
    traces: Sequence[Any], *, x: str = "", y: str = "", height: int = HEIGHT, **layout: Any
) -> Any:
    """Put traces into a figure; `layout` as Plotly has it, over what our look says."""
    has_legend = layout.setdefault("showlegend", len(traces) > 1)
    # The template is given at once: Plotly would otherwise load its own first.
    figure = go.Figure(
        list(traces),
        {
            "template": look(),
            "height": height,
            "margin_t": LEGEND_ROOM if has_legend else BARE_ROOM,
            "xaxis_title_text": as_text(x),
            "yaxis_title_text": as_text(y),
            **_axes_of_names(traces),
        },
    )
    return figure.update_layout(layout)


def with_title(figure: Any, title: str) -> Any:
    """Return a figure that says its finding itself, where no page says it beside the drawing."""
    titled = go.Figure(figure)
    height, above = figure.layout.height + TITLE_ROOM, figure.layout.margin.t + TITLE_ROOM
    return titled.update_layout(title_text=as_text(title), height=height, margin_t=above)


def _axes_of_names(traces: Sequence[Any]) -> dict[str, str]:
    """Names stand side by side, also where one looks like a number ("17", "80+")."""
    axes = {}
    for trace in traces:
        letter = "y" if trace.type == "bar" and trace.orientation == "h" else "x"
        places = trace[letter]
        if places and all(isinstance(place, str) for place in places):
            axes[f"{letter}axis_type"] = "category"
    return axes


def as_text(text: str) -> str:
    """Plotly reads <b> and &amp; in labels as markup; what people wrote is only text."""
    return re.sub(r"&(?=#?\w+;)", "&amp;", text).replace("<", "&lt;")


def _texts(names: Sequence[Any]) -> list[Any]:
    return [as_text(name) if isinstance(name, str) else name for name in names]


def bars(
    names: Sequence[Any],
    values: Numbers,
    *,
    color: str | Sequence[str] = ACCENT,
    name: str = "",
    texts: Names | None = None,
    is_lying: bool = False,
    hover: str = "",
    **more: Any,
) -> Any:
    """Bars upright or, with `is_lying`, one below the other; `texts` stand at their ends."""
    along, across = ("y", "x") if is_lying else ("x", "y")
    marker = {"color": color, **({"pattern": PATTERN} if color == BEFORE else {})}
    places = {along: _texts(names), across: list(values)}
    return go.Bar(
        **places,
        orientation="h" if is_lying else None,
        name=as_text(name) or None,
        marker=marker,
        text=None if texts is None else _texts(texts),
        **_hovering(hover or f"%{{{along}}}: %{{{across}:.4~g}}", name),
        **more,
    )


def grouped_bars(
    names: Names, series: Mapping[str, Numbers], *, x: str, y: str, room: int = NARROW
) -> Any:
    """Two series side by side, the first of them drawn as what was before; or what is now alone.

    Names that do not fit beside each other, `room` letters in all, stand below each other.
    """
    colors = (BEFORE, ACCENT)[-len(series) :]
    is_lying = sum(len(name) + 2 for name in names) > room
    traces = [
        bars(names, values, color=color, name=name, is_lying=is_lying)
        for (name, values), color in zip(series.items(), colors, strict=True)
    ]
    if not is_lying:
        return draw(traces, x=x, y=y)
    height = max(180, 32 * len(names) + 80)
    return draw(traces, x=y, height=height, yaxis_autorange="reversed")


def marked_bars(names: Names, counts: Sequence[int], *, x: str, y: str, color: str = ACCENT) -> Any:
    """One series of bars with their numbers above them."""
    trace = bars(names, counts, color=color, texts=[f"{count:,}" for count in counts])
    return draw([trace], x=x, y=y)


def ranked_bars(names: Names, values: Sequence[float], x: str) -> Any:
    """Bars that lie, the first on top, with their numbers."""
    height = max(180, 34 * len(names) + 60)
    trace = bars(
        names[::-1],  # Plotly draws them from the bottom up
        values[::-1],
        texts=[f"{value:.2f}" for value in values[::-1]],
        is_lying=True,
        hover="%{y}: %{x:.4f}",
    )
    return draw([trace], x=x, height=height)


def horizontal_bars(
    names: Names, values: Sequence[float], colors: Sequence[str], texts: Names, *, x: str
) -> Any:
    """Bars that lie, with a color each, the first on top."""
    trace = bars(
        names[::-1],
        values[::-1],
        color=colors[::-1],
        texts=texts[::-1],
        is_lying=True,
        hover="%{y}: %{text}",
    )
    return draw([trace], x=x, height=max(150, 27 * len(names) + 60))


def polyline(
    x: Sequence[Any],
    y: Numbers,
    *,
    color: str,
    name: str = "",
    width: float = 2,
    dash: str = "solid",
    shape: str = "linear",
    hover: str = "",
    **more: Any,
) -> Any:
    """Points joined by a line; with `mode` and `marker` also marked."""
    return go.Scatter(
        x=_texts(x),
        y=list(y),
        name=as_text(name) or None,
        line={"color": color, "width": width, "dash": dash, "shape": shape},
        **{"mode": "lines", **_hovering(hover, name), **more},
    )


def marks(
    x: Sequence[Any],
    y: Sequence[Any],
    *,
    marker: Mapping[str, Any],
    name: str = "",
    hover: str = "",
    hovertext: Names | None = None,
    **more: Any,
) -> Any:
    """Points on their own; `hovertext` may hold <br>, so what people wrote in it is escaped."""
    hovering = {"hovertext": list(hovertext), "hoverinfo": "text"} if hovertext else {}
    return go.Scatter(
        x=_texts(x),
        y=_texts(y),
        name=as_text(name) or None,
        marker=dict(marker),
        **{"mode": "markers", **_hovering(hover, name), **hovering, **more},
    )


def _hovering(template: str, name: str) -> dict[str, str]:
    if not template:
        return {"hoverinfo": "skip"}
    return {"hovertemplate": f"{template}<extra>{as_text(name)}</extra>"}
