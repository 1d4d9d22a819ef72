"""The progress of a run: fraction done, time left, and the best result so far.

Takes the progress calls of the engine and adds the figures that pages show. It has numbers, levels
and names of columns, never values of the table.
"""

import math
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from deid_portal.engine.progress import ProgressCallback

# Share of the whole that each stage usually takes; searching dominates.
SHARES = {"read": 5, "patterns": 5, "search": 65, "release": 10, "measure": 10, "store": 5}
# Phases of the engine that are shown as part of another stage.
STAGES = {"protect": "search", "attack": "measure"}
# Stages after the search usually take this many times as long as those before it.
AFTER_PER_BEFORE = 3.0
# Below these the search has not run long enough for an estimate.
LEAST_SECONDS, LEAST_FRACTION = 5.0, 0.02
# Searches become slower, so the pace of the last seconds predicts better than the mean pace.
RECENT_SECONDS = 10.0
# The shown time left moves this share towards a new estimate per second. It rises by at most one
# second per second.
TRUST_PER_SECOND = 0.25
LONGEST_CLIMB = 1.0
POINTS_KEPT = 80


def stage_of(phase: str) -> str:
    return STAGES.get(phase, phase)


class ProgressWatch:
    """A progress callback that adds time left and history, and calls the next one."""

    def __init__(
        self,
        pass_on: ProgressCallback,
        memory_mb: Callable[[], int] = lambda: 0,
        clock: Callable[[], float] = time.monotonic,
        expected: float | None = None,
    ) -> None:
        self._pass_on = pass_on
        self._memory_mb = memory_mb
        self._expected = expected
        self._clock = clock
        self._began = self._last = clock()
        self._seconds: dict[str, float] = {}  # per stage
        self._stage = "read"
        self._latest = (0, 1, "read")
        self._fraction = 0.0
        self._left: float | None = None
        self._places: deque[tuple[float, float]] = deque()  # time, fraction of the search
        self._trace: list[list[float | None]] = []  # seconds, best, bound
        self._improved = 0
        self._search: dict[str, Any] = {}

    def __call__(self, done: int, total: int, phase: str, **figures: Any) -> None:
        now = self._clock()
        passed, self._last = now - self._last, now
        self._seconds[self._stage] = self._seconds.get(self._stage, 0.0) + passed
        if self._goes_on(phase):
            self._stage, self._latest = stage_of(phase), (done, total, phase)
        else:
            done, total, phase = self._latest
        within = min(1.0, done / total) if total else 0.0
        self._fraction = max(self._fraction, overall(self._stage, within))
        estimate = self._estimate(within)
        if estimate is None:
            estimate = self._estimate_by_expectation(now - self._began)
        self._left = gently(self._left, estimate, passed)
        self._remember(now - self._began, figures)
        told = {**self._search, **figures} if self._stage == "search" else dict(self._search)
        told |= {
            "fraction": round(self._fraction, 4),
            "seconds": {stage: round(spent, 1) for stage, spent in self._seconds.items()},
            "memory_mb": self._memory_mb(),
        }
        if self._left is not None:
            told["left"] = round(self._left, 1)
        if self._trace:
            told |= {"trace": self._trace, "improved": self._improved}
        self._pass_on(done, total, phase, **told)

    def _goes_on(self, phase: str) -> bool:
        """Say whether a phase is one of those shown, and no earlier one than at present.

        Measuring and remedies count patterns and search again; for people that is no way back.
        """
        order = list(SHARES)
        stage = stage_of(phase)
        return stage in order and order.index(stage) >= order.index(self._stage)

    def _estimate(self, within: float) -> float | None:
        spent = self._seconds
        before = spent.get("read", 0.0) + spent.get("patterns", 0.0)
        after = AFTER_PER_BEFORE * before
        if self._stage in ("read", "patterns"):
            return None
        if self._stage == "search":
            searched = spent.get("search", 0.0)
            if searched < LEAST_SECONDS or within < LEAST_FRACTION:
                return None
            slowest = min(within / searched, self._recent_pace(within))
            return (1 - within) / slowest + after if slowest else self._left
        used = sum(spent.get(stage, 0.0) for stage in ("release", "measure", "store"))
        # Nothing is left of the usual time, and the work goes on: no zero is promised.
        return after - used if after > used else None

    def _estimate_by_expectation(self, elapsed: float) -> float | None:
        """Return the time left by what such runs take; work that is overdue counts by its share."""
        if self._expected is None:
            return None
        by_work = max(self._expected, elapsed) * (1 - self._fraction)
        by_clock = self._expected - elapsed
        return (by_work + by_clock) / 2 if by_clock > 0 else by_work

    def _recent_pace(self, within: float) -> float:
        """Return the fraction of the search done per second, over the last seconds."""
        self._places.append((self._last, within))
        while self._last - self._places[0][0] > RECENT_SECONDS:
            self._places.popleft()
        then, was = self._places[0]
        return (within - was) / (self._last - then) if self._last - then > 1 else math.inf

    def _remember(self, elapsed: float, figures: dict[str, Any]) -> None:
        """Store the figures of the search, and a point of the trace if best or bound changed."""
        if self._stage != "search":
            return
        self._search |= figures
        point = [figures.get("best"), figures.get("bound")]
        if point == [None, None] or (self._trace and self._trace[-1][1:] == point):
            return
        if point[0] is not None and (not self._trace or self._trace[-1][1] != point[0]):
            self._improved += 1
        self._trace = [*self._trace, [round(elapsed, 2), *point]]
        if len(self._trace) > POINTS_KEPT:
            self._trace = thinned(self._trace)


def overall(stage: str, within: float) -> float:
    """Return the fraction of the whole run that is done, between 0 and 1."""
    before = 0
    for name, share in SHARES.items():
        if name == stage:
            return (before + share * within) / 100
        before += share
    return 0.0


def gently(left: float | None, estimate: float | None, passed: float) -> float | None:
    """Return the smoothed time left, `passed` seconds later and given a new estimate."""
    if estimate is None or left is None:
        return estimate if left is None else max(left - passed, 0.0)
    trust = min(1.0, TRUST_PER_SECOND * passed)
    if estimate >= left:
        return min(left + (estimate - left) * trust, left + LONGEST_CLIMB * passed)
    counted_down = max(left - passed, 0.0)
    return min(left, counted_down + (estimate - counted_down) * trust)


def thinned(trace: list[list[float | None]]) -> list[list[float | None]]:
    """Drop every second point, except where the best result improved."""
    kept = [
        point
        for place, point in enumerate(trace)
        if place % 2 == 0 or place == len(trace) - 1 or point[1] != trace[place - 1][1]
    ]
    return kept if len(kept) <= POINTS_KEPT else [*kept[::2], kept[-1]]
