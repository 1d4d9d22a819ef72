"""The chart of one column as a plain dict: a finding as the title, the drawing, the same numbers.

It names values, so only stewards get it. Colours are token names, resolved when the page draws.
"""

from typing import Any

from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.shapes import ORDERED, bars_of

LABEL_LENGTH = 18
NAME_LENGTH = 40
NO_BREAK = "\u00a0"


def histogram_of(column: DatasetColumn, rows: int) -> dict[str, Any] | None:
    """Return id, title, caption, figure and table, or None where there is nothing to draw."""
    bins = [(str(label), int(count)) for label, count in column.profile.get("histogram", [])]
    bars = bars_of(column)
    if not any(count for _, count in bars):
        return None
    labels, counts = [label for label, _ in bars], [count for _, count in bars]
    is_ordered = column.type in ORDERED
    return {
        "id": "histogram",
        "title": _title(column, rows),
        "caption": "Number of rows by value" if is_ordered else _caption(column, len(bars)),
        "figure": _upright(labels, counts) if is_ordered else _lying(labels, counts),
        "table": {
            "columns": ["Value", "Rows"],
            "rows": [[label, f"{count:,}"] for label, count in bins],
        },
    }


def _caption(column: DatasetColumn, drawn: int) -> str:
    if drawn == column.distinct:
        return "Number of rows, most first"
    return f"Number of rows of the {drawn} most frequent of {column.distinct:,} values"


def _title(column: DatasetColumn, rows: int) -> str:
    name = _cut(column.name, NAME_LENGTH)
    low, high, mean = (column.profile.get(key) for key in ("minimum", "maximum", "mean"))
    if low is not None and high is not None:
        middle = f", {_written(mean)} on average" if mean is not None else ""
        return f"{name} runs from {_written(low)} to {_written(high)}{middle}"
    bins = column.profile["histogram"]
    if column.type == "date":
        first, last = bins[0][0].split(" to ")[0], bins[-1][0].split(" to ")[-1]
        return f"{name} lies between {first} and {last}"
    frequent = column.profile.get("most_frequent") or []
    if not frequent or not rows:
        return f"The values of {name}"
    share = 100 * frequent[0][1] / rows
    words = f"{share:.0f}{NO_BREAK}%" if share >= 1 else f"less than 1{NO_BREAK}%"
    return f"The most frequent value fills {words} of the rows"


def _written(number: float) -> str:
    if float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.1f}" if abs(number) >= 10 else f"{number:.3g}"


def _upright(labels: list[str], counts: list[int]) -> dict[str, Any]:
    """Numbers and dates stand side by side; some of the bars say where they start."""
    places = list(range(len(labels)))
    bars = {
        "type": "bar",
        "x": places,
        "y": counts,
        "customdata": labels,
        "marker": {"color": "token:accent"},
        "hovertemplate": "%{customdata}: %{y:,} rows<extra></extra>",
    }
    starts = [label.split(" to ")[0] for label in labels]
    step = -(-len(labels) // (8 if max(map(len, starts)) < 5 else 3))
    ticks = {"tickvals": places[::step], "ticktext": starts[::step]}
    layout = {
        "height": 190,
        "bargap": 0.12,
        "xaxis": ticks,
        "yaxis": {"title": {"text": "Rows"}, "tickformat": ","},
    }
    return {"data": [bars], "layout": layout}


def _lying(labels: list[str], counts: list[int]) -> dict[str, Any]:
    """Words lie below each other, the most frequent on top, so that they can be read."""
    # Bars lie at numbered places, because two words may be equal once they are cut.
    places = list(range(len(labels)))[::-1]
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": places,
        "x": counts,
        "customdata": labels,
        "marker": {"color": "token:accent"},
        "hovertemplate": "%{customdata}: %{x:,} rows<extra></extra>",
    }
    layout = {
        "height": max(110, 18 * len(labels) + 50),
        "bargap": 0.2,
        "margin": {"l": 8, "t": 4},
        "xaxis": {"title": {"text": "Rows"}, "tickformat": ",", "nticks": 4, "rangemode": "tozero"},
        "yaxis": {
            "tickvals": places,
            "ticktext": [_cut(label) for label in labels],
            "showgrid": False,
        },
    }
    return {"data": [bars], "layout": layout}


def _cut(label: str, length: int = LABEL_LENGTH) -> str:
    return label if len(label) <= length else f"{label[: length - 1]}…"
