"""How far a run is, in words and numbers; pure functions of the row."""

from dataclasses import dataclass
from typing import Any

from deid_portal.runs.models import Run

# Share of the whole that each phase usually takes; searching dominates.
PHASES = {
    "read": ("Read the table", 5),
    "patterns": ("Find patterns", 5),
    "search": ("Search levels", 65),
    "release": ("Write it", 10),
    "measure": ("Measure it", 10),
    "store": ("Store it", 5),
}


@dataclass(frozen=True)
class PhaseView:
    label: str
    state: str  # done, current or waiting
    percent: int


@dataclass(frozen=True)
class ProgressView:
    percent: int
    phase_label: str
    seconds_left: float | None
    phases: list[PhaseView]
    figures: dict[str, Any]


def fraction_of(run: Run) -> float:
    """Return how much of the whole is done, between 0 and 1."""
    if run.status == Run.Status.FINISHED:
        return 1.0
    before = 0
    for name, (_, share) in PHASES.items():
        if name == run.phase:
            return (before + share * _within_phase(run)) / 100
        before += share
    return 0.0


def _within_phase(run: Run) -> float:
    return min(1.0, run.done / run.total) if run.total else 0.0


def describe_progress(run: Run) -> ProgressView:
    fraction = fraction_of(run)
    elapsed = run.elapsed_seconds
    # Before a twentieth is done an estimate would jump about; say nothing instead.
    seconds_left = elapsed * (1 - fraction) / fraction if fraction > 0.05 and elapsed > 1 else None
    return ProgressView(
        percent=int(100 * fraction),
        phase_label=PHASES.get(run.phase, ("Waiting", 0))[0],
        seconds_left=seconds_left,
        phases=_describe_phases(run),
        figures=_figures(run),
    )


def _figures(run: Run) -> dict[str, Any]:
    """What the search says of itself; "settled" is told apart from what was looked at."""
    figures = dict(run.figures)
    if "settled" in figures and "checked" in figures:
        figures["settled"] = max(0, figures["settled"] - figures["checked"])
    return figures


def _describe_phases(run: Run) -> list[PhaseView]:
    views, seen_current = [], run.phase not in PHASES
    for name, (label, _) in PHASES.items():
        if name == run.phase:
            views.append(PhaseView(label, "current", int(100 * _within_phase(run))))
            seen_current = True
        else:
            waiting = seen_current and run.status != Run.Status.FINISHED
            views.append(PhaseView(label, "waiting" if waiting else "done", 0 if waiting else 100))
    return views
