"""The chart of the scenario board, and the words that explain its marks."""

from dataclasses import dataclass
from math import log10
from typing import Any

from deid_portal.engine.charts.chart import Chart
from deid_portal.engine.charts.figure_parts import as_text, draw_figure, marks, polyline
from deid_portal.engine.charts.look import ACCENT, BEFORE, INK_2, MUTE
from deid_portal.engine.wording.numbers import NBSP as NO_BREAK
from deid_portal.engine.wording.numbers import percent
from deid_portal.reports.board import Board
from deid_portal.reports.scenarios import (
    Point,
    Scenario,
    ScenarioAxis,
    limit_words,
    title_of_scenarios,
)

# Distinguishable without color; the first ones differ most from each other.
SHAPES = ("triangle-up", "square", "circle", "diamond", "star", "hexagon", "pentagon")
SIGNS = ("▲", "■", "●", "◆", "★", "⬢", "⬟")
NO_LIMIT = ("triangle-down", "▼")
OTHER = ("x", "✕")
TICKS = (1, 2, 5)
PINS = (("A", ACCENT), ("B", BEFORE))
MARK, PINNED = 10, 16
# Distances within which labels of points overlap: in powers of ten, as a share of the height.
FLAG_HEIGHTS = (-26, -56)
LABEL_ACROSS, LABEL_UP = 0.06, 0.08


@dataclass(frozen=True)
class Sign:
    """An entry of the legend."""

    sign: str
    words: str


def board_chart(board: Board) -> Chart | None:
    """Draw the runs of a board; None if no run has both figures."""
    if not board.points:
        return None
    shape = board.points[0].scenario.shape_means
    return Chart(
        id="board-chart",
        title=title_of_scenarios(board.points, board.front),
        caption=(
            f"{board.risk.title} against detail lost. Shape: {shape}; "
            "label: hides among k. Nothing beats the runs on the line."
        ),
        figure=_figure(board),
    )


def legend_of(board: Board) -> list[Sign]:
    shapes = _shapes([point.scenario for point in board.points])
    signs = [Sign(sign, _kind_words(kind)) for kind, (_, sign) in shapes.items()]
    if any(not point.scenario.is_allowed for point in board.points):
        signs += [Sign("●", "filled: allowed by policy"), Sign("○", "hollow: not allowed")]
    if len(board.front) < len(board.points):
        signs.append(Sign("", "grey: beaten by another run"))
    return signs


# What a shape stands for: the suppression limit or, for networks, the method.
Kind = float | str | None
Shapes = dict[Kind, tuple[str, str]]


def _shape_order(kind: Kind) -> tuple[float, str]:
    return (0.0, kind) if isinstance(kind, str) else (float(kind or 0), "")


def _kind_words(kind: Kind) -> str:
    if isinstance(kind, str):
        return kind
    return "no limit of its own" if kind is None else limit_words(kind)


def _shapes(scenarios: list[Scenario]) -> Shapes:
    """Assign a shape to every kind of run, in order of suppression limits or names of methods."""
    kinds = {own.shape for own in scenarios}
    known = sorted((kind for kind in kinds if kind is not None), key=_shape_order)
    marks = list(zip(SHAPES, SIGNS, strict=True))
    shapes: Shapes = {
        kind: marks[place] if place < len(marks) else OTHER for place, kind in enumerate(known)
    }
    if None in kinds:
        shapes[None] = NO_LIMIT
    return shapes


def _figure(board: Board) -> Any:
    shapes = _shapes([point.scenario for point in board.points])
    pinned = {own.number: letter for letter, own in (("A", board.a), ("B", board.b)) if own}
    others = [point for point in board.points if point.scenario.number not in pinned]
    traces = [_line(board.front, board.risk), _marks(board, others, shapes)]
    annotations = []
    for letter, color in PINS:
        chosen = [p for p in board.points if pinned.get(p.scenario.number) == letter]
        if chosen:
            traces.append(_pin(board, chosen[0], color, shapes))
            annotations.append(_flag(board, chosen[0], letter, color))
    # The label of the left pin is placed higher, so that labels do not overlap.
    for place, flag in enumerate(sorted(annotations, key=lambda flag: flag["x"], reverse=True)):
        flag["ay"] = FLAG_HEIGHTS[place]
    return draw_figure(
        traces,
        height=446,
        showlegend=False,
        margin={"t": 16, "r": 24},
        xaxis=_risk_axis(board),
        yaxis={"title_text": board.detail.title, **_detail_range(board)},
        annotations=annotations,
    )


def _detail_range(board: Board) -> dict[str, Any]:
    """Start the axis at zero for a single value, where Plotly would show negative values."""
    details = [point.detail for point in board.points]
    if len({round(detail, 9) for detail in details}) != 1:
        return {"rangemode": "normal"}
    return {"range": [0, 2 * details[0] or 1]}


def _across(axis: ScenarioAxis, point: Point) -> float:
    return 100 * point.risk if axis.is_share else point.risk


def _line(front: list[Point], risk: ScenarioAxis) -> Any:
    across = [_across(risk, point) for point in front]
    detail = [point.detail for point in front]
    return polyline(across, detail, color=ACCENT, width=1.5, dash="dot")


def _marks(board: Board, points: list[Point], shapes: Shapes) -> Any:
    front = {point.scenario.number for point in board.front}
    labels = _labels(board)
    colors = [ACCENT if point.scenario.number in front else MUTE for point in points]
    return _points(
        board,
        points,
        mode="markers+text",
        text=[labels.get(point.scenario.number, "") for point in points],
        textposition=_label_sides(points, labels),
        textfont={"color": INK_2, "size": 12},
        marker={
            "size": MARK,
            "symbol": [_symbol(point, shapes) for point in points],
            "color": colors,
            "line": {"width": 1.5, "color": colors},
        },
    )


def _points(board: Board, points: list[Point], **more: Any) -> Any:
    return marks(
        [_across(board.risk, point) for point in points],
        [point.detail for point in points],
        customdata=[point.scenario.number for point in points],
        hovertext=[_hover(board, point) for point in points],
        cliponaxis=False,
        **more,
    )


def _labels(board: Board) -> dict[int, str]:
    """Label the points on the front by k; points at the same position share one label."""
    places: dict[tuple[float, float], list[Scenario]] = {}
    for point in board.front:
        places.setdefault((round(point.risk, 6), round(point.detail, 6)), []).append(point.scenario)
    labels = {}
    for scenarios in places.values():
        hides = sorted({own.k for own in scenarios if own.k})
        if hides:
            label = f"{hides[0]:,}" if len(hides) == 1 else f"{hides[0]:,}–{hides[-1]:,}"
            labels[scenarios[0].number] = label
    return labels


def _label_sides(points: list[Point], labels: dict[int, str]) -> list[str]:
    """Place labels below their points, or above if they would overlap the previous one."""
    widest = max((point.risk for point in points), default=1) or 1
    tallest = max((point.detail for point in points), default=1) or 1
    sides, before = [], None
    for point in points:
        side = "bottom left"
        if point.scenario.number in labels:
            is_near = before is not None and (
                abs(log10((point.risk or widest) / (before.risk or widest))) < LABEL_ACROSS
                and abs(point.detail - before.detail) / tallest < LABEL_UP
            )
            side = "top right" if is_near else side
            before = None if is_near else point
        sides.append(side)
    return sides


def _symbol(point: Point, shapes: Shapes) -> str:
    shape = shapes[point.scenario.shape][0]
    return shape if point.scenario.is_allowed else f"{shape}-open"


def _pin(board: Board, point: Point, color: str, shapes: Shapes) -> Any:
    symbol, line = _symbol(point, shapes), {"width": 2, "color": color}
    marker = {"size": PINNED, "symbol": symbol, "color": color, "line": line}
    return _points(board, [point], marker=marker)


def _flag(board: Board, point: Point, letter: str, color: str) -> dict[str, Any]:
    """Label a pin; on a logarithmic axis Plotly expects the logarithm as the position."""
    across = _across(board.risk, point)
    return {
        "x": log10(across) if _is_log(board) else across,
        "y": point.detail,
        "text": f"{letter} · run {point.scenario.number}",
        "font": {"color": color, "size": 12},
        "arrowcolor": color,
        "arrowwidth": 1,
        "arrowhead": 0,
        "standoff": PINNED / 2,
        "ax": 40,
    }


def _hover(board: Board, point: Point) -> str:
    own = point.scenario
    allowed = "" if own.is_allowed else "<br>not allowed by policy"
    return (
        f"Run {own.number} · {as_text(own.label)}<br>"
        f"{board.risk.label.lower()} {board.risk.written(own)}, "
        f"{board.detail.label} {board.detail.written(own)}<br>"
        f"{own.cost_words}, {own.groups:,} groups{allowed}"
    )


def _is_log(board: Board) -> bool:
    return board.risk.is_log and all(point.risk > 0 for point in board.points)


def _risk_axis(board: Board) -> dict[str, Any]:
    values = [_across(board.risk, point) for point in board.points]
    if not values or not _is_log(board):
        title = {"text": board.risk.title}
        return {"title": title, "ticksuffix": NO_BREAK + "%", "rangemode": "tozero"}
    ticks = _ticks(min(values), max(values))
    is_one = len({round(value, 9) for value in values}) == 1
    return {
        "title": {"text": f"{board.risk.title} (log scale)"},
        "type": "log",
        # For a single value Plotly would show two powers of ten, with few of our ticks.
        **({"range": [log10(values[0] / 3), log10(values[0] * 3)]} if is_one else {}),
        "tickvals": ticks,
        "ticktext": [percent(tick / 100, 4) for tick in ticks],
    }


def _ticks(low: float, high: float) -> list[float]:
    """Return round percentages: 0.1, 0.2, 0.5, 1, …, from one below to one above the range."""
    numbers = [float(f"{step}e{power}") for power in range(-6, 3) for step in TICKS]
    inside = [number for number in numbers if low / 2.6 <= number <= min(high * 2.6, 100)]
    return inside or [low]
