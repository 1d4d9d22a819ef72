"""Bars, lines and markers of a figure as SVG elements."""

from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from typing import Any

from deid_portal.engine.charts.look import INK_2
from deid_portal.engine.charts.svg.elements import (
    SIZE,
    Point,
    box,
    mark,
    stroke_of,
    text,
)

Place = Callable[[Any, Any], Point]
GAP = 3  # pixels between a bar and the label at its end
SIDES = {  # position of a label beside its marker: anchor, offset right and down
    "middle center": ("middle", 0, 4),
    "top right": ("start", 5, -5),
    "bottom left": ("end", -5, 14),
}
MARK_SIZE = 6


def bar_elements(trace: Any, corners: Sequence[tuple[Point, Point]], pattern: str) -> Iterator[str]:
    """Draw bars from their corners; the second corner is at the end of the bar."""
    count = len(corners)
    fills = [pattern] * count if pattern else of_each(trace.marker.color, count)
    texts = trace.text or [""] * count
    for (start, end), fill, words in zip(corners, fills, texts, strict=True):
        yield box(start, end, fill)
        if not words:
            continue
        if trace.orientation == "h":
            middle = (start[1] + end[1]) / 2 + SIZE / 3
            yield text((end[0] + GAP, middle), words, fill=INK_2, anchor="start")
        else:
            yield text(((start[0] + end[0]) / 2, end[1] - GAP), words, fill=INK_2)


def scatter_elements(trace: Any, place: Place) -> Iterator[str]:
    mode = trace.mode or "lines"
    points = [
        None if x is None or y is None else place(x, y)
        for x, y in zip(trace.x, trace.y, strict=True)
    ]
    if "lines" in mode:
        yield from _strokes(trace, points)
    if "markers" in mode:
        yield from _marks(trace, [point for point in points if point is not None])
    if "text" in mode:
        yield from _labels(trace, [point for point in points if point is not None])


def _strokes(trace: Any, points: Sequence[Point | None]) -> Iterator[str]:
    """Draw a line, interrupted at missing points."""
    run: list[Point] = []
    for point in [*points, None]:
        if point is not None:
            if run and trace.line.shape == "hv":
                run.append((point[0], run[-1][1]))
            run.append(point)
        elif run:
            yield stroke_of(run, trace.line.color, trace.line.width or 2, trace.line.dash)
            run = []


def _marks(trace: Any, points: Sequence[Point]) -> Iterator[str]:
    own, count = trace.marker, len(points)
    colors, symbols = of_each(own.color, count), of_each(own.symbol or "circle", count)
    edges = of_each(own.line.color or "none", count)
    for point, color, symbol, radius, edge in zip(
        points, colors, symbols, _radii(own, count), edges, strict=True
    ):
        if radius > 0:
            width = float(own.line.width or 0)
            yield mark(point, radius, symbol, color, (edge, width), own.opacity or 1)


def mark_of(trace: Any, place: Point) -> str:
    """Draw the marker of a trace for the legend; all its markers look the same."""
    own = trace.marker
    edge = (own.line.color or "none", float(own.line.width or 0))
    return mark(place, 5, own.symbol or "circle", own.color, edge, 1)


def _radii(marker: Any, count: int) -> Iterator[float]:
    for size in of_each(MARK_SIZE if marker.size is None else marker.size, count):
        scaled = size / 2 / (marker.sizeref or 1)
        yield sqrt(scaled) if marker.sizemode == "area" else scaled


def _labels(trace: Any, points: Sequence[Point]) -> Iterator[str]:
    count = len(points)
    sides = of_each(trace.textposition or "middle center", count)
    for (x, y), words, side in zip(points, trace.text or [""] * count, sides, strict=True):
        anchor, right, down = SIDES.get(side, SIDES["middle center"])
        if words:
            fill = trace.textfont.color or INK_2
            yield text((x + right, y + down), words, fill=fill, anchor=anchor)


def of_each(value: Any, count: int) -> Sequence[Any]:
    """Return a property of every point; a single value stands for all points."""
    return [value] * count if value is None or isinstance(value, str | int | float) else value
