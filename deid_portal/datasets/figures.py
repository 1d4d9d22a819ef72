"""The chart of one column. It names values, so only stewards get it."""

from typing import Any

from deid_portal.datasets.models import DatasetColumn
from deid_portal.datasets.shapes import ORDERED, bars_of
from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import as_text, bars, draw_figure
from deid_portal.engine.wording.numbers import NBSP

LABEL_LENGTH = 18
NAME_LENGTH = 40


def histogram_of_column(column: DatasetColumn, rows: int) -> Chart | None:
    """Return the chart, or None where there is nothing to draw."""
    bins = [(str(label), int(count)) for label, count in column.profile.get("histogram", [])]
    drawn = bars_of(column)
    if not any(count for _, count in drawn):
        return None
    labels, counts = [label for label, _ in drawn], [count for _, count in drawn]
    is_ordered = column.type in ORDERED
    return Chart(
        id="histogram",
        title=_title(column, rows),
        caption="Number of rows by value" if is_ordered else _caption(column, len(drawn)),
        figure=_upright(labels, counts) if is_ordered else _lying(labels, counts),
        table=ChartTable(["Value", "Rows"], [[label, f"{count:,}"] for label, count in bins]),
    )


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
    words = f"{share:.0f}{NBSP}%" if share >= 1 else f"less than 1{NBSP}%"
    return f"The most frequent value fills {words} of the rows"


def _written(number: float) -> str:
    if float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.1f}" if abs(number) >= 10 else f"{number:.3g}"


def _upright(labels: list[str], counts: list[int]) -> Any:
    """Numbers and dates stand side by side; some of the bars say where they start."""
    places = list(range(len(labels)))
    starts = [as_text(label.split(" to ")[0]) for label in labels]
    step = -(-len(labels) // (8 if max(map(len, starts)) < 5 else 3))
    return draw_figure(
        [_bars(places, counts, labels, hover="%{customdata}: %{y:,} rows")],
        y="Rows",
        height=190,
        bargap=0.12,
        xaxis={"tickvals": places[::step], "ticktext": starts[::step]},
        yaxis_tickformat=",",
    )


def _lying(labels: list[str], counts: list[int]) -> Any:
    """Words lie below each other, the most frequent on top, so that they can be read."""
    # Bars lie at numbered places, because two words may be equal once they are cut.
    places = list(range(len(labels)))[::-1]
    words = [as_text(_cut(label)) for label in labels]
    return draw_figure(
        [_bars(places, counts, labels, is_lying=True, hover="%{customdata}: %{x:,} rows")],
        x="Rows",
        height=max(110, 18 * len(labels) + 50),
        bargap=0.2,
        margin={"l": 8, "t": 4},
        xaxis={"tickformat": ",", "nticks": 4, "rangemode": "tozero"},
        yaxis={"tickvals": places, "ticktext": words, "showgrid": False},
    )


def _bars(places: list[int], counts: list[int], labels: list[str], **more: Any) -> Any:
    return bars(places, counts, customdata=[as_text(label) for label in labels], **more)


def _cut(label: str, length: int = LABEL_LENGTH) -> str:
    return label if len(label) <= length else f"{label[: length - 1]}…"
