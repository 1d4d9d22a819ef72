"""The chart of a running search: the best result so far, and the bound of any result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from deid_portal.engine.charts.chart import Chart, ChartTable
from deid_portal.engine.charts.figure_parts import draw_figure, polyline
from deid_portal.engine.charts.look import ACCENT, BEFORE, SURFACE_2
from deid_portal.engine.utility import METRICS
from deid_portal.runs.models import Run

FEWEST_POINTS = 2
CORNER = 10  # percent of the time axis left free for labels on the right


@dataclass(frozen=True)
class TraceChart(Chart):
    best: float | None = None
    bound: float | None = None
    bound_name: str = ""  # "Lowest still possible", or highest if larger is better

    @property
    def gap(self) -> float | None:
        if self.best is None or self.bound is None:
            return None
        return abs(self.best - self.bound)


def trace_chart(run: Run) -> TraceChart | None:
    """Draw the progress of the search; None while there are too few points."""
    trace = run.figures.get("trace") or []
    if len(trace) < FEWEST_POINTS:
        return None
    metric = METRICS[run.figures.get("metric", "loss")]
    elapsed = max(run.elapsed_seconds, trace[-1][0])
    best, bound = trace[-1][1], trace[-1][2]
    end = "highest" if metric.higher_is_better else "lowest"
    bound_name = f"{end.capitalize()} still possible"
    return TraceChart(
        id="trace",
        title=_title(run.figures.get("improved", 0), best, bound, trace),
        caption=f"The best valid release found, and the {end} that is still possible",
        figure=_figure(trace, elapsed, run.figures.get("left"), metric.axis_title, bound_name),
        table=ChartTable(
            ["Seconds", "Best so far", bound_name],
            [[f"{seconds:.1f}", _number(best), _number(bound)] for seconds, best, bound in trace],
        ),
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
) -> Any:
    end = elapsed + (left or 0.0)
    lines = [
        _line(trace, 1, elapsed, "Best so far", {"color": ACCENT, "shape": "hv"}),
        _line(trace, 2, elapsed, bound_name, {"color": BEFORE, "dash": "dot"}),
    ]
    return draw_figure(
        [own for own in lines if own.x],
        x="Seconds since start",
        y=axis,
        height=230,
        showlegend=True,
        shapes=[_shade(elapsed, end)] if left else [],
        xaxis_range=[0, max(end, elapsed * (1 + CORNER / 100))],
    )


def _shade(start: float, end: float) -> dict[str, Any]:
    """Shade the remaining time."""
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": start,
        "x1": end,
        "y0": 0,
        "y1": 1,
        "line": {"width": 0},
        "fillcolor": SURFACE_2,
        "layer": "below",
    }


def _line(trace: list[Any], place: int, elapsed: float, name: str, look: Mapping[str, Any]) -> Any:
    points = [(point[0], point[place]) for point in trace if point[place] is not None]
    if points:
        points.append((round(elapsed, 2), points[-1][1]))
    return polyline(
        [x for x, _ in points],
        [y for _, y in points],
        name=name,
        width=2.5,
        hover="%{y:.4f} after %{x:.1f} s",
        **look,
    )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:,.4f}"
