"""Builders for the Plotly figures (bars, lines, markers) used by all charts."""

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
from deid_portal.engine.wording.numbers import NBSP

# Characters that fit under the bars of a chart of half and of full page width.
NARROW, WIDE = 76, 150
# Bars of the state before have a pattern, so that they can be distinguished without color.
PATTERN = {"shape": "/", "fillmode": "overlay", "size": 6, "solidity": 0.25, "fgcolor": SURFACE}
SMALL_HEIGHT = 104
# Ends of axes of percent. None is shorter: on it any difference would look large.
SHORT_AXES, EVERYTHING = (10, 25, 50), 100
Names = Sequence[str]
Numbers = Sequence[float | None]


def draw_figure(
    traces: Sequence[Any], *, x: str = "", y: str = "", height: int = HEIGHT, **layout: Any
) -> Any:
    """Return a figure of these traces; `layout` holds properties that override the template."""
    has_legend = layout.setdefault("showlegend", len(traces) > 1)
    # Set the template in the constructor: otherwise Plotly loads its default one first.
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
    """Return a copy with the finding as its title; pages print the finding above the figure."""
    titled = go.Figure(figure)
    height, above = figure.layout.height + TITLE_ROOM, figure.layout.margin.t + TITLE_ROOM
    return titled.update_layout(title_text=as_text(title), height=height, margin_t=above)


def _axes_of_names(traces: Sequence[Any]) -> dict[str, str]:
    """Return category axes for names; Plotly would treat names such as "17" or "80+" as numbers."""
    axes = {}
    for trace in traces:
        letter = "y" if trace.type == "bar" and trace.orientation == "h" else "x"
        places = trace[letter]
        if places and all(isinstance(place, str) for place in places):
            axes[f"{letter}axis_type"] = "category"
    return axes


def as_text(text: str) -> str:
    """Escape a label: Plotly interprets <b> and &amp; as markup."""
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
    """Return vertical bars or, with `is_lying`, horizontal ones; `texts` label their ends."""
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
    """Draw grouped bars of the series before and after, or of one of them only.

    Bars are horizontal if their names have more than `room` characters in all.
    """
    is_lying = sum(len(name) + 2 for name in names) > room
    traces = [
        bars(names, values, color=color, name=name, is_lying=is_lying)
        for (name, values), color in zip(series.items(), _colors_of(series), strict=True)
    ]
    if not is_lying:
        return draw_figure(traces, x=x, y=y)
    height = max(180, 32 * len(names) + 80)
    return draw_figure(traces, x=y, height=height, yaxis_autorange="reversed")


def _colors_of(series: Mapping[str, Numbers]) -> list[str]:
    return [BEFORE, ACCENT] if len(series) > 1 else [BEFORE if "Before" in series else ACCENT]


def small_bars(names: Names, series: Mapping[str, Numbers]) -> Any:
    """Draw grouped bars without words, for a page of many; hovering tells the names."""
    traces = [
        bars(names, values, color=color, name=name)
        for (name, values), color in zip(series.items(), _colors_of(series), strict=True)
    ]
    return draw_figure(
        traces,
        height=SMALL_HEIGHT,
        showlegend=False,
        margin={"l": 30, "r": 8, "t": 8, "b": 8},
        xaxis_showticklabels=False,
        yaxis_nticks=3,
    )


def marked_bars(names: Names, counts: Sequence[int], *, x: str, y: str, color: str = ACCENT) -> Any:
    """Draw one series of bars with their values above them."""
    trace = bars(names, counts, color=color, texts=[f"{count:,}" for count in counts])
    return draw_figure([trace], x=x, y=y)


def ranked_bars(names: Names, values: Sequence[float], x: str, *, whole: float) -> Any:
    """Draw horizontal bars, the first on top, with their values.

    The axis ends at `whole`, all there is: small bars look small, however few others there are.
    """
    height = max(180, 34 * len(names) + 60)
    trace = bars(
        names[::-1],  # Plotly draws them from the bottom up
        values[::-1],
        texts=[f"{value:.2f}" for value in values[::-1]],
        is_lying=True,
        hover="%{y}: %{x:.4f}",
    )
    return draw_figure([trace], x=x, height=height, xaxis_range=[0, 1.08 * whole])


def horizontal_bars(
    names: Names, values: Sequence[float], colors: Sequence[str], texts: Names, *, x: str
) -> Any:
    """Draw horizontal bars of shares in percent with a color each, the first on top."""
    trace = bars(
        names[::-1],
        values[::-1],
        color=colors[::-1],
        texts=texts[::-1],
        is_lying=True,
        hover="%{y}: %{text}",
    )
    end = axis_end(values)
    room = 1.15 * end  # for the label of the longest bar
    title = x if end == EVERYTHING else f"{x}; the axis ends at {end:g}{NBSP}%"
    height = max(150, 27 * len(names) + 60)
    return draw_figure([trace], x=title, height=height, xaxis_range=[0, room])


def axis_end(percents: Sequence[float]) -> float:
    """Return where an axis of percent ends: at 100, or earlier if all values are far below."""
    most = max(percents, default=0)
    return next(end for end in (*SHORT_AXES, EVERYTHING) if most <= end or end == EVERYTHING)


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
    """Return a line through points; `mode` and `marker` add markers."""
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
    """Return markers; `hovertext` may hold <br>, so callers must escape user input in it."""
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
