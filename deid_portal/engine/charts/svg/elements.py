"""SVG elements as text."""

from collections.abc import Iterable, Sequence
from html import unescape
from math import cos, pi, sin
from xml.sax.saxutils import escape, quoteattr

from deid_portal.engine.charts.look import SURFACE

LETTER = 0.56  # mean width of a character, relative to the font size
SIZE = 11
DASHES = {"dot": "2 3", "dash": "7 4"}
CORNERS = {  # on a circle of radius 1, the first at the top
    "triangle-up": 3,
    "triangle-down": 3,
    "square": 4,
    "diamond": 4,
    "pentagon": 5,
    "hexagon": 6,
    "star": 10,
}
Point = tuple[float, float]


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """Write an element; attributes without a value are omitted."""
    told = {key.replace("_", "-"): value for key, value in attributes.items() if value is not None}
    words = "".join(f" {key}={quoteattr(_written(value))}" for key, value in told.items())
    return f"<{name}{words}>{content}</{name}>" if content else f"<{name}{words}/>"


def _written(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(
    place: Point,
    words: str,
    *,
    fill: str,
    anchor: str = "middle",
    size: int = SIZE,
    weight: str | None = None,
    turned: bool = False,
) -> str:
    x, y = place
    return element(
        "text",
        escape(plain_label(words)),
        x=x,
        y=y,
        font_size=size,
        font_weight=weight,
        text_anchor=anchor,
        fill=fill,
        transform=f"rotate(-90 {_written(x)} {_written(y)})" if turned else None,
    )


def plain_label(words: str) -> str:
    """Unescape a label; in figures labels are escaped, since Plotly interprets markup."""
    return unescape(words)


def width_of_label(words: str, size: int = SIZE) -> float:
    return LETTER * size * len(plain_label(words))


def rule(start: Point, end: Point, stroke: str) -> str:
    return element("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], stroke=stroke)


def box(corner: Point, other: Point, fill: str) -> str:
    (x1, y1), (x2, y2) = corner, other
    return element(
        "rect", x=min(x1, x2), y=min(y1, y2), width=abs(x2 - x1), height=abs(y2 - y1), fill=fill
    )


def stroke_of(points: Sequence[Point], color: str, width: float, dash: str | None) -> str:
    return element(
        "polyline",
        points=_listed(points),
        fill="none",
        stroke=color,
        stroke_width=float(width),
        stroke_dasharray=DASHES.get(dash or ""),
        stroke_linejoin="round",
    )


def mark(
    place: Point, radius: float, symbol: str, color: str, edge: tuple[str, float], opacity: float
) -> str:
    """Draw a marker; one whose name ends with "-open" is hollow."""
    kind, is_open = symbol.removesuffix("-open"), symbol.endswith("-open")
    look = {
        "fill": "none" if is_open else color,
        "stroke": color if is_open else edge[0],
        "stroke_width": float(edge[1] or is_open),
        "fill_opacity": None if opacity == 1 else opacity,
    }
    if kind in CORNERS:
        return element("polygon", points=_listed(_corners(place, radius, kind)), **look)
    if kind == "x":
        return _cross(place, radius, color)
    return element("circle", cx=place[0], cy=place[1], r=float(radius), **look)


def _corners(place: Point, radius: float, kind: str) -> Iterable[Point]:
    count = CORNERS[kind]
    turn = {"square": pi / 4, "triangle-down": pi}.get(kind, 0.0)
    for corner in range(count):
        far = radius * (0.5 if kind == "star" and corner % 2 else 1.2)
        angle = 2 * pi * corner / count + turn
        yield place[0] + far * sin(angle), place[1] - far * cos(angle)


def _cross(place: Point, radius: float, color: str) -> str:
    x, y = place
    path = f"M{x - radius:.2f} {y - radius:.2f}l{2 * radius:.2f} {2 * radius:.2f}"
    path += f"M{x - radius:.2f} {y + radius:.2f}l{2 * radius:.2f} {-2 * radius:.2f}"
    return element("path", d=path, stroke=color, stroke_width=2)


def _listed(points: Iterable[Point]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def hatched(color: str, name: str) -> str:
    """Return the pattern of bars of the state before."""
    lines = element("path", d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5", stroke=SURFACE, stroke_width=1.2)
    ground = element("rect", width=6, height=6, fill=color)
    pattern = {"id": name, "width": 6, "height": 6, "patternUnits": "userSpaceOnUse"}
    return element("defs", element("pattern", ground + lines, **pattern))
