"""The whole picture: margins, axes, traces and the legend."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from deid_portal.engine.charts.look import BEFORE, HEIGHT, INK, INK_2, LINE, LINE_STRONG, SURFACE
from deid_portal.engine.charts.svg.axes import PictureAxis, read_axis
from deid_portal.engine.charts.svg.elements import (
    SIZE,
    Point,
    box,
    element,
    hatched,
    plain_label,
    rule,
    stroke_of,
    text,
    width_of_label,
)
from deid_portal.engine.charts.svg.traces import bar_elements, mark_of, scatter_elements
from deid_portal.engine.wording.numbers import middle_cut

WIDTH = 640
FONT = "Inter, sans-serif"
PATTERN = "before-hatched"
LINE_HEIGHT, EDGE = 18.0, 8.0
TITLE_SIZE, TITLE_LINE = 14, 20.0
BOLD = 1.1  # relative width of bold characters
MOST_LETTERS = 34  # characters of an axis label; longer ones are shortened
BAR_GAP, GROUP_GAP = 0.28, 0.04


@dataclass(frozen=True)
class PictureFrame:
    """The plot area of the picture, in pixels."""

    left: float
    right: float
    top: float
    bottom: float

    def place(self, x: PictureAxis, y: PictureAxis, across: float, up: float) -> Point:
        """Return the pixel at relative positions (0 to 1) on both axes."""
        wide, tall = self.right - self.left, self.bottom - self.top
        start, end = x.domain
        low, high = y.domain
        return (
            self.left + wide * (start + (end - start) * across),
            self.bottom - tall * (low + (high - low) * up),
        )


@dataclass(frozen=True)
class PicturePanel:
    """A pair of axes in the frame."""

    frame: PictureFrame
    x: PictureAxis
    y: PictureAxis

    def at(self, x: Any, y: Any) -> Point:
        return self.frame.place(self.x, self.y, self.x.share_of(x), self.y.share_of(y))

    def near(self, x: float, y: float) -> Point:
        """Return the pixel at axis coordinates."""
        across = (x - self.x.low) / ((self.x.high - self.x.low) or 1.0)
        up = (y - self.y.low) / ((self.y.high - self.y.low) or 1.0)
        return self.frame.place(self.x, self.y, across, up)


def write_svg(figure: Any, title: str = "", width: int = WIDTH) -> str:
    """Write a figure as SVG, with a title if it is used on its own."""
    lines = _title_lines(title, width)
    head = TITLE_LINE * len(lines) + EDGE if lines else 0.0
    height = float(figure.layout.height or HEIGHT) + head
    pairs = _axes(figure)
    frame = _frame(figure, pairs, width, height, head)
    panels = {number: PicturePanel(frame, x, y) for number, (x, y) in pairs.items()}
    parts = [box((0, 0), (width, height), SURFACE)]
    parts += [_title(words, number) for number, words in enumerate(lines)]
    parts += [part for panel in panels.values() for part in _axis_elements(panel)]
    parts += _trace_elements(figure, panels)
    parts += _legend(figure, frame)
    size = {"viewBox": f"0 0 {width} {height:g}", "width": width, "height": height}
    return element(
        "svg",
        "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        **size,
        role="img",
        font_family=FONT,
    )


def _title_lines(title: str, width: int) -> list[str]:
    return wrap(title, int((width - 2 * EDGE) / width_of_label("x", TITLE_SIZE) / BOLD))


def _title(words: str, number: int) -> str:
    place = (EDGE, TITLE_LINE * (number + 1))
    return text(place, words, fill=INK, anchor="start", size=TITLE_SIZE, weight="600")


def _axes(figure: Any) -> dict[str, tuple[PictureAxis, PictureAxis]]:
    numbers = dict.fromkeys((trace.xaxis or "x")[1:] for trace in figure.data) or {"": None}
    return {
        number: (read_axis(figure, "x", number), read_axis(figure, "y", number))
        for number in numbers
    }


def _frame(
    figure: Any,
    pairs: dict[str, tuple[PictureAxis, PictureAxis]],
    width: int,
    height: float,
    head: float,
) -> PictureFrame:
    x, y = next(iter(pairs.values()))
    left = EDGE + (_labels_width(y) + EDGE if y.is_visible else 0.0)
    left += LINE_HEIGHT if y.title and y.is_visible else 0.0
    below = LINE_HEIGHT + (LINE_HEIGHT if x.title else 0.0) if x.is_visible else EDGE
    above = LINE_HEIGHT + (LINE_HEIGHT if figure.layout.showlegend else 0.0)
    return PictureFrame(
        left, width - EDGE - _texts_width(figure), head + above, height - below - EDGE / 2
    )


def _labels_width(axis: PictureAxis) -> float:
    return max((width_of_label(shortened(label)) for _, label in axis.ticks), default=0.0)


def shortened(label: str) -> str:
    return middle_cut(plain_label(label), MOST_LETTERS)


def _texts_width(figure: Any) -> float:
    """Return the margin needed for labels at the ends of horizontal bars."""
    texts = [
        words
        for trace in figure.data
        if trace.type == "bar" and trace.orientation == "h"
        for words in trace.text or ()
    ]
    return max((width_of_label(words) + EDGE for words in texts), default=EDGE)


def _axis_elements(panel: PicturePanel) -> Iterator[str]:
    x, y = panel.x, panel.y
    if x.is_visible and y.is_visible:
        yield from _sideways(panel)
        yield from _upright(panel)
        yield rule(panel.near(x.low, y.low), panel.near(x.high, y.low), LINE_STRONG)
        yield rule(panel.near(x.low, y.low), panel.near(x.low, y.high), LINE_STRONG)


def _sideways(panel: PicturePanel) -> Iterator[str]:
    x, y, bottom = panel.x, panel.y, panel.frame.bottom
    step = _labels_skipped(panel)
    for number, (place, label) in enumerate(x.ticks):
        at, _ = panel.near(place, y.low)
        if not x.names:
            yield rule((at, panel.frame.top), (at, bottom), LINE)
        if number % step == 0:
            yield text((at, bottom + 14), shortened(label), fill=INK_2)
    if x.title:
        middle, _ = panel.near((x.low + x.high) / 2, y.low)
        yield text((middle, bottom + 14 + LINE_HEIGHT - 3), x.title, fill=INK_2)


def _labels_skipped(panel: PicturePanel) -> int:
    """Return n such that labels do not overlap if every n-th is drawn."""
    ticks = panel.x.ticks
    if not ticks:
        return 1
    start, _ = panel.near(panel.x.low, panel.y.low)
    end, _ = panel.near(panel.x.high, panel.y.low)
    needed = sum(width_of_label(shortened(label)) + 6 for _, label in ticks)
    return max(1, -int(-needed // max(abs(end - start), 1.0)))


def _upright(panel: PicturePanel) -> Iterator[str]:
    x, y = panel.x, panel.y
    for place, label in y.ticks:
        left, at = panel.near(x.low, place)
        right, _ = panel.near(x.high, place)
        if not y.names:
            yield rule((left, at), (right, at), LINE)
        if y.has_labels:
            beside = (left - 6, at + SIZE / 3)
            yield text(beside, shortened(label), fill=INK_2, anchor="end")
    if y.title:
        _, middle = panel.near(x.low, (y.low + y.high) / 2)
        yield text((EDGE + SIZE / 2, middle), y.title, fill=INK_2, turned=True)


def _trace_elements(figure: Any, panels: dict[str, PicturePanel]) -> Iterator[str]:
    bars = [trace for trace in figure.data if trace.type == "bar"]
    if any(_is_hatched(trace) for trace in bars):
        yield hatched(BEFORE, PATTERN)
    for trace in figure.data:
        panel = panels[(trace.xaxis or "x")[1:]]
        if trace.type == "bar":
            is_over = figure.layout.barmode == "overlay"
            slot = (0, 1) if is_over else (bars.index(trace), len(bars))
            corners = list(_corners(trace, panel, *slot))
            pattern = f"url(#{PATTERN})" if _is_hatched(trace) else ""
            yield from bar_elements(trace, corners, pattern)
        else:
            yield from scatter_elements(trace, panel.at)


def _is_hatched(trace: Any) -> bool:
    return bool(trace.marker.pattern.shape)


def _corners(
    trace: Any, panel: PicturePanel, number: int, of: int
) -> Iterator[tuple[Point, Point]]:
    """Yield two opposite corners of each bar; bars of one category share its width."""
    each = (1 - BAR_GAP) / of
    start = -(1 - BAR_GAP) / 2 + number * each + each * GROUP_GAP / 2
    end = start + each * (1 - GROUP_GAP)
    is_lying = trace.orientation == "h"
    along = panel.y if is_lying else panel.x
    names, values = (trace.y, trace.x) if is_lying else (trace.x, trace.y)
    for name, value in zip(names, values, strict=True):
        place, long = along.place_of(name), float(value or 0)
        if is_lying:
            yield panel.near(0, place + start), panel.near(long, place + end)
        else:
            yield panel.near(place + start, 0), panel.near(place + end, long)


def _legend(figure: Any, frame: PictureFrame) -> Iterator[str]:
    if not figure.layout.showlegend:
        return
    told = [trace for trace in figure.data if trace.name and trace.showlegend is not False]
    widths = [width_of_label(trace.name) + 30 for trace in told]
    x, y = (frame.left + frame.right - sum(widths)) / 2, frame.top - LINE_HEIGHT
    for trace, width in zip(told, widths, strict=True):
        yield _sign(trace, (x, y - SIZE + 2))
        yield text((x + 18, y), trace.name, fill=INK_2, anchor="start")
        x += width


def _sign(trace: Any, corner: Point) -> str:
    x, y = corner
    if trace.type == "bar":
        fill = f"url(#{PATTERN})" if _is_hatched(trace) else trace.marker.color
        return box((x, y), (x + 13, y + 10), fill)
    if "lines" in (trace.mode or "lines"):
        dash = trace.line.dash
        return stroke_of([(x, y + 5), (x + 14, y + 5)], trace.line.color, 2, dash)
    return mark_of(trace, (x + 7, y + 5))
