"""The chart of a search under way, as a plain dict: how good the best answer is, how good any can
be. Colours are token names, resolved when the page draws.
"""

from dataclasses import dataclass
from typing import Any

from deid_portal.runs.models import Run

# What a search may count in, as an axis says it; the others are measured in numbers of their own.
METRICS = {
    "loss": "Detail lost",
    "iloss": "Detail lost (iloss)",
    "entropy": "Detail lost (entropy)",
    "precision": "Detail kept",
    "discernibility": "Discernibility",
    "average_class_size": "Average group size",
}
MORE_IS_BETTER = {"precision"}
FEWEST_POINTS = 2
CORNER = 10  # percent of the time axis kept free on the right, for the labels


@dataclass(frozen=True)
class TraceChart:
    title: str
    caption: str
    figure: dict[str, Any]
    rows: list[list[str]]
    best: float | None
    bound: float | None
    bound_name: str  # "Lowest still possible", or highest where more is better

    @property
    def gap(self) -> float | None:
        if self.best is None or self.bound is None:
            return None
        return abs(self.best - self.bound)


def trace_chart(run: Run) -> TraceChart | None:
    """Draw what the search has told so far; None while that is too little for a line."""
    trace = run.figures.get("trace") or []
    if len(trace) < FEWEST_POINTS:
        return None
    metric = run.figures.get("metric", "loss")
    elapsed = max(run.elapsed_seconds, trace[-1][0])
    best, bound = trace[-1][1], trace[-1][2]
    end = "highest" if metric in MORE_IS_BETTER else "lowest"
    bound_name = f"{end.capitalize()} still possible"
    return TraceChart(
        title=_title(run.figures.get("improved", 0), best, bound, trace),
        caption=f"The best valid release found, and the {end} that is still possible",
        figure=_figure(
            trace, elapsed, run.figures.get("left"), METRICS.get(metric, metric), bound_name
        ),
        rows=[[f"{seconds:.1f}", _number(best), _number(bound)] for seconds, best, bound in trace],
        best=best,
        bound=bound,
        bound_name=bound_name,
    )


def _title(improved: int, best: float | None, bound: float | None, trace: list[Any]) -> str:
    if best is None:
        return "No valid release found yet"
    times = {1: "once", 2: "twice"}.get(improved, f"{improved} times")
    found = f"The best answer has improved {times}" if improved > 1 else "One answer was found"
    first = next((point for point in trace if None not in point[1:]), None)
    if bound is None or first is None:
        return found
    is_closing = abs(best - bound) < 0.9 * abs(first[1] - first[2])
    return f"{found}; the gap to the proof {'is closing' if is_closing else 'is still open'}"


def _figure(
    trace: list[Any], elapsed: float, left: float | None, axis: str, bound_name: str
) -> dict[str, Any]:
    end = elapsed + (left or 0.0)
    shapes = []
    if left:
        shapes.append(
            {
                "type": "rect",
                "xref": "x",
                "yref": "paper",
                "x0": elapsed,
                "x1": end,
                "y0": 0,
                "y1": 1,
                "line": {"width": 0},
                "fillcolor": "token:surface-2",
                "layer": "below",
            }
        )
    width = max(end, elapsed * (1 + CORNER / 100))
    layout = {
        "height": 230,
        "showlegend": True,
        "shapes": shapes,
        "xaxis": {"title": {"text": "Seconds since start"}, "range": [0, width]},
        "yaxis": {"title": {"text": axis}},
    }
    lines = [
        _line(trace, 1, elapsed, "Best so far", {"color": "token:accent", "shape": "hv"}),
        _line(trace, 2, elapsed, bound_name, {"color": "token:before", "dash": "dot"}),
    ]
    return {"data": [line for line in lines if line["x"]], "layout": layout}


def _line(
    trace: list[Any], place: int, elapsed: float, name: str, line: dict[str, str]
) -> dict[str, Any]:
    points = [(point[0], point[place]) for point in trace if point[place] is not None]
    if points:
        points.append((round(elapsed, 2), points[-1][1]))
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": [x for x, _ in points],
        "y": [y for _, y in points],
        "line": {"width": 2.5, **line},
        "hovertemplate": "%{y:.4f} after %{x:.1f} s<extra></extra>",
    }


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4f}"
