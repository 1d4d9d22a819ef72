"""The Plotly template of all charts, in the colors of the light theme.

Figures include the template, so they look the same wherever they are opened. Pages have a light
and a dark theme: for them colors are replaced by names of tokens (`page_figure`), which the
browser resolves. The heavy modules of Plotly are loaded with the first figure, not by this one.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

import plotly.graph_objects as go

NAME = "deid-portal"
# Copies of the light theme in `static/css/tokens.css`; a test compares them.
TOKENS = {
    "accent": "#0b6380",
    "before": "#b9511a",
    "mute": "#84919f",
    "ink": "#1a2530",
    "ink-2": "#465463",
    "line": "#dde3e9",
    "line-strong": "#7f8c9a",
    "surface": "#ffffff",
    "surface-2": "#f1f4f7",
}
ACCENT, BEFORE, MUTE = TOKENS["accent"], TOKENS["before"], TOKENS["mute"]
INK, INK_2 = TOKENS["ink"], TOKENS["ink-2"]
LINE, LINE_STRONG = TOKENS["line"], TOKENS["line-strong"]
SURFACE, SURFACE_2 = TOKENS["surface"], TOKENS["surface-2"]
CLEAR = "rgba(0,0,0,0)"
COLORS = ("color", "colorway")  # endings of the names of color properties
TOKEN_OF = {color: name for name, color in TOKENS.items()}

FONT = (
    '"Inter Variable", system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif'
)
FONT_SIZE = 12
HEIGHT = 210
# Margin above the plot, with and without a legend.
LEGEND_ROOM, BARE_ROOM = 30, 16
TITLE_ROOM = 44


@cache
def look() -> Any:
    """Return the template, after registering it with Plotly."""
    import plotly.io

    plotly.io.templates[NAME] = go.layout.Template(layout=_layout(), data={"bar": [BAR]})
    return plotly.io.templates[NAME]


BAR = {"cliponaxis": False, "textposition": "outside"}


def _layout() -> dict[str, Any]:
    axis = _axis()
    return {
        "colorway": [ACCENT, BEFORE, MUTE, INK_2],
        "paper_bgcolor": SURFACE,
        "plot_bgcolor": CLEAR,
        "font": {"family": FONT, **_letters(INK_2)},
        "title": {
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yanchor": "top",
            "pad": {"l": 14, "t": 14},
            "font": {"color": INK, "size": 15},
        },
        "margin": {"l": 44, "r": 12, "t": BARE_ROOM, "b": 24},
        "bargap": 0.28,
        "bargroupgap": 0.04,
        "dragmode": False,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": SURFACE, "bordercolor": LINE_STRONG, "font": _letters(INK)},
        "legend": {
            "orientation": "h",
            "x": 0.5,
            "xanchor": "center",
            "y": 1,
            "yanchor": "bottom",
            "bgcolor": CLEAR,
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "xaxis": axis,
        "yaxis": axis,
    }


def _axis() -> dict[str, Any]:
    return {
        "automargin": True,
        "fixedrange": True,
        "gridcolor": LINE,
        "linecolor": LINE_STRONG,
        "showline": True,
        "tickangle": 0,
        "tickfont": _letters(INK_2),
        "title": {"font": _letters(INK_2), "standoff": 6},
        "zeroline": False,
    }


def _letters(color: str) -> dict[str, Any]:
    return {"color": color, "size": FONT_SIZE}


def page_figure(figure: Any) -> dict[str, Any]:
    """Return a figure for a page, with names such as "token:accent" in place of colors."""
    named: dict[str, Any] = _with_tokens(figure.to_plotly_json())
    return named


def _with_tokens(value: Any, is_color: bool = False) -> Any:
    """Replace colors by names of tokens, in color properties only: labels may look like colors."""
    if isinstance(value, Mapping):
        return {key: _with_tokens(own, key.endswith(COLORS)) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_with_tokens(own, is_color) for own in value]
    if is_color and value in TOKEN_OF:
        return f"token:{TOKEN_OF[value]}"
    return value
