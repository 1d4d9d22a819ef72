"""The chart of one column as a plain dict: a finding as the title, the drawing, the same numbers.

It names values, so only stewards get it. Colours are token names, resolved when the page draws.
"""

from collections.abc import Mapping
from typing import Any

Profile = Mapping[str, Any]
LABEL_LENGTH = 14
NO_BREAK = "\u00a0"


def histogram_of(name: str, profile: Profile, rows: int) -> dict[str, Any] | None:
    """Return id, title, caption, figure and table, or None where there is nothing to draw."""
    bins = [(str(label), int(count)) for label, count in profile.get("histogram", [])]
    if not any(count for _, count in bins):
        return None
    return {
        "id": "histogram",
        "title": _title(name, profile, rows),
        "caption": "Number of rows by value",
        "figure": _figure([label for label, _ in bins], [count for _, count in bins]),
        "table": {
            "columns": ["Value", "Rows"],
            "rows": [[label, f"{count:,}"] for label, count in bins],
        },
    }


def _title(name: str, profile: Profile, rows: int) -> str:
    low, high, mean = (profile.get(key) for key in ("minimum", "maximum", "mean"))
    if low is not None and high is not None:
        middle = f", {_written(mean)} on average" if mean is not None else ""
        return f"{name} runs from {_written(low)} to {_written(high)}{middle}"
    frequent = profile.get("most_frequent") or []
    if not frequent or not rows:
        return f"The values of {name}"
    share = 100 * frequent[0][1] / rows
    words = f"{share:.0f}{NO_BREAK}%" if share >= 1 else f"less than 1{NO_BREAK}%"
    return f"The most frequent value fills {words} of the rows"


def _written(value: object) -> str:
    if isinstance(value, float) and not value.is_integer():
        return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3g}"
    return f"{value:,.0f}" if isinstance(value, int | float) else str(value)


def _figure(labels: list[str], counts: list[int]) -> dict[str, Any]:
    places = list(range(len(labels)))
    # Bars stand at numbered places, because two values may be equal once their labels are cut.
    bars = {
        "type": "bar",
        "x": places,
        "y": counts,
        "customdata": labels,
        "marker": {"color": "token:accent"},
        "hovertemplate": "%{customdata}: %{y:,} rows<extra></extra>",
    }
    # More than eight labels would run into each other; every second or third is enough to read.
    step = -(-len(labels) // 8)
    axis = {
        "tickvals": places[::step],
        "ticktext": [_cut(label) for label in labels[::step]],
        "tickangle": "auto",
    }
    layout = {
        "height": 190,
        "bargap": 0.12,
        "xaxis": axis,
        "yaxis": {"title": {"text": "Rows"}},
    }
    return {"data": [bars], "layout": layout}


def _cut(label: str) -> str:
    return label if len(label) <= LABEL_LENGTH else f"{label[: LABEL_LENGTH - 1]}…"
