"""What holds for every chart: it is valid, says its finding, and its table has what it draws."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import plotly.graph_objects as go

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.look import CLEAR, page_figure

TOKENS_FILE = Path(__file__).parents[1] / "static" / "css" / "tokens.css"
NUMBER = re.compile(r"[-−]?\d[\d,]*(?:\.\d+)?")
WIDEST_MARGINS = 200  # pixels; half a page has about 360 for a chart
# What these draw follows from their table and title: a difference, shares, and places of dots.
DERIVED = {"influence", "degrees"}
DRAWINGS = {"before", "after", "network"}


def check_chart(chart: Chart) -> None:
    """Refuse a chart that pages, notebooks or certificates could not show."""
    assert chart.title.strip(), chart.id
    assert chart.figure is not None or chart.table is not None
    if chart.figure is None:
        return
    document = chart.figure.to_plotly_json()
    assert go.Figure(document) == chart.figure  # validated once more, from JSON
    assert set(_colors(page_figure(chart.figure))) <= {*_tokens(), CLEAR}
    margin = chart.figure.layout.margin
    assert chart.figure.layout.width is None  # as wide as its box
    assert (margin.l or 44) + (margin.r or 12) <= WIDEST_MARGINS
    if chart.table is not None:
        _check_table(chart)


def _check_table(chart: Chart) -> None:
    assert chart.table is not None
    assert {len(row) for row in chart.table.rows} <= {len(chart.table.columns)}
    if chart.id in DRAWINGS:
        _check_dots(chart)
    elif chart.id not in DERIVED:
        cells = [str(cell) for row in chart.table.rows for cell in row]
        for value in _drawn(chart.figure):
            assert any(_says(cell, value) for cell in cells), (chart.id, value)


def _check_dots(chart: Chart) -> None:
    """The table of a drawing counts its dots by their links, or tells the size of the largest."""
    assert chart.table is not None
    dots = [words.split()[0] for words in chart.figure.data[-1].hovertext]
    first, *told = chart.table.columns
    people = chart.table.rows[0][1:]
    if first in ("Community", "Links to people no further out"):
        assert set(people) <= set(dots)
    else:
        assert {
            number: f"{count:,}" for number, count in Counter(dots).items() if number in told
        } == dict(zip(told, people, strict=True))


def _drawn(figure: Any) -> Iterator[float]:
    """Yield what is measured: the length of bars, the height of points, the area of marks."""
    for trace in figure.data:
        sizes = trace.marker.size if trace.type == "scatter" else None
        if trace.marker.sizemode == "area" if trace.type == "scatter" else False:
            yield from sizes
            continue
        is_sideways = trace.type == "bar" and trace.orientation == "h"
        values = trace.x if is_sideways or _are_names(trace.y) else trace.y
        yield from (float(value) for value in values if value is not None)


def _are_names(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _says(cell: str, value: float) -> bool:
    """Say whether a cell tells a value, as a share or in percent, rounded as it is written."""
    if any(word in cell for word in ("under", "few", "<")) and abs(value) < 5:
        return True
    return any(
        abs(shown - number) <= 0.5000001 * 10.0**-decimals
        for number, decimals in _numbers(cell)
        for shown in (value, value / 100)
    ) or (">" in cell and value > 99)


def _numbers(cell: str) -> Iterator[tuple[float, int]]:
    for found in NUMBER.findall(cell):
        text = found.replace(",", "").replace("−", "-")
        yield float(text), len(text.partition(".")[2])


def _colors(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for name, own in value.items():
            yield from _colors(own, name)
    elif isinstance(value, list):
        for own in value:
            yield from _colors(own, key)
    elif isinstance(value, str) and key.endswith(("color", "colorway")):
        yield value


def _tokens() -> set[str]:
    return {f"token:{name}" for name in re.findall(r"--([\w-]+):", TOKENS_FILE.read_text())}
