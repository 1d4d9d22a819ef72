"""The progress of a run in words and numbers; pure functions of the row."""

from dataclasses import dataclass, field
from typing import Any

from deid_portal.runs.models import Run
from deid_portal.runs.progress_watch import SHARES, overall, stage_of

LABELS = {
    "read": "Read the table",
    "patterns": "Find patterns",
    "search": "Search levels",
    "release": "Build release",
    "measure": "Measure, test",
    "store": "Store",
}
CHANGING = "Change the cells"
FIRST_STAGE = next(iter(SHARES))


@dataclass(frozen=True)
class PhaseView:
    label: str
    state: str  # done, current or waiting
    percent: int
    seconds: float | None = None  # known once it is done


@dataclass(frozen=True)
class BestView:
    """The best result so far, in words."""

    left_out: int | None
    columns: list[tuple[str, str]]  # name, level
    exact: int  # number of unchanged columns


@dataclass(frozen=True)
class ProgressView:
    percent: int
    phase_label: str
    seconds_left: float | None
    is_overdue: bool  # it takes longer than such runs usually do, and seems to end all the time
    phases: list[PhaseView]
    figures: dict[str, Any] = field(default_factory=dict)
    best: BestView | None = None


def describe_progress(run: Run, *, tells_search: bool = True) -> ProgressView:
    """Describe the progress of a run.

    Figures of the search count suppressed records as well, so they are not shown to viewers without
    row access (`tells_search`).
    """
    left = _seconds_left(run)
    return ProgressView(
        percent=int(100 * fraction_of(run)),
        phase_label=_label(run, _stage(run)),
        seconds_left=left,
        is_overdue=left is not None and left < 1 and _is_late(run),
        phases=_describe_phases(run),
        figures=_figures(run) if tells_search else {"memory_mb": run.figures.get("memory_mb")},
        best=_describe_best(run.figures) if tells_search else None,
    )


def fraction_of(run: Run) -> float:
    """Return the progress between 0 and 1; it never decreases."""
    if run.status == Run.Status.FINISHED:
        return 1.0
    if run.status == Run.Status.QUEUED:
        return 0.0
    now = overall(_stage(run), _within_phase(run))
    return max(now, float(run.figures.get("fraction", 0.0)))


def _stage(run: Run) -> str:
    """Return the stage a run is in: the first one as soon as a worker has it."""
    if run.phase:
        return stage_of(run.phase)
    return FIRST_STAGE if run.status == Run.Status.RUNNING else ""


def _seconds_left(run: Run) -> float | None:
    left: float | None = run.figures.get("left")
    if left is None and run.expected_seconds is not None:
        left = max(run.expected_seconds - run.elapsed_seconds, 0.0)
    return left


def _is_late(run: Run) -> bool:
    return run.expected_seconds is not None and run.elapsed_seconds > run.expected_seconds


def _within_phase(run: Run) -> float:
    return min(1.0, run.done / run.total) if run.total else 0.0


def _label(run: Run, stage: str) -> str:
    is_changing = stage == "search" and run.phase == "protect"
    return CHANGING if is_changing else LABELS.get(stage, "Waiting")


def _figures(run: Run) -> dict[str, Any]:
    """Return the figures of the search; "settled" here excludes combinations that were checked."""
    figures = dict(run.figures)
    if "settled" in figures and "checked" in figures:
        figures["settled"] = max(0, figures["settled"] - figures["checked"])
    return figures


def _describe_phases(run: Run) -> list[PhaseView]:
    stages = list(SHARES)
    current = _stage(run)
    at = stages.index(current) if current in stages else -1
    is_over = run.status == Run.Status.FINISHED
    seconds = run.figures.get("seconds", {})
    views = []
    for place, stage in enumerate(stages):
        label = _label(run, stage)
        if place < at or is_over:
            views.append(PhaseView(label, "done", 100, seconds.get(stage)))
        elif place == at:
            views.append(PhaseView(label, "current", int(100 * _within_phase(run))))
        else:
            views.append(PhaseView(label, "waiting", 0))
    return views


def _describe_best(figures: dict[str, Any]) -> BestView | None:
    words = figures.get("best_words")
    if not words:
        return None
    coarser = [(name, word) for name, word in words.items() if word != "exact"]
    return BestView(
        left_out=figures.get("best_suppressed"),
        columns=coarser,
        exact=len(words) - len(coarser),
    )
