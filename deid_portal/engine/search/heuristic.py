"""Searching a lattice too large to keep bounds for all of it, within a time limit.

First down from the top to a good answer, then from there to its neighbors. Then the lattice is cut
into boxes, the one that could hold the best answer first: every combination in a box loses what its
coarsest one loses, and shows no more than its finest one. Every answer is valid; it is proved to be
the best only if no box is left that could hold a better one, and otherwise the bound says how much
better one could be.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heappop, heappush
from time import perf_counter

from deid_portal.engine.progress import Progress
from deid_portal.engine.search.bounds import bounds_for, rules_out_finer
from deid_portal.engine.search.check import Check, Checker
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Lattice, Levels


@dataclass(frozen=True, order=True, slots=True)
class Box:
    """All combinations between two; they cost at least the bound."""

    bound: float
    finest: Levels
    coarsest: Check = field(compare=False)


class SearchOutOfTime(Exception):  # noqa: N818 - not an error
    """The time limit is reached."""


class Explorer:
    """One search within a time limit; what it finds is entered into `found`."""

    def __init__(
        self,
        checker: Checker,
        lattice: Lattice,
        found: SearchResult,
        progress: Progress,
        seconds: float,
    ) -> None:
        self.checker = checker
        self.lattice = lattice
        self.found = found
        self.progress = progress
        self.seconds = seconds
        self.started = perf_counter()
        self.bounds = bounds_for(checker, found.allowed)
        self.floor_terms = self.bounds.floor_terms()
        self.boxes: list[Box] = []  # still to be looked into, as a heap

    def explore(self) -> None:
        self.found.optimal = False
        top = self._check(self.lattice.heights)
        if self._is_closed(top):
            self.found.optimal = True
            return
        self._add_box(self.lattice.bottom, top)
        with suppress(SearchOutOfTime):
            self._descend(top)
            self._improve()
            self._cut()
            self.found.optimal = True
        self.found.bound = min([self._cost_to_beat(), *(box.bound for box in self.boxes)])

    def _descend(self, current: Check) -> None:
        """Lower the most promising column as long as the result is allowed and cheaper."""
        refused: set[int] = set()
        while True:
            for levels, column in self._by_promise(current.levels, refused):
                below = self._check(levels)
                if self.found.is_allowed(below) and below.cost < current.cost:
                    current = below
                    break
                if self._is_closed(below):
                    refused.add(column)
            else:
                return

    def _improve(self) -> None:
        """Lower one column by a step and raise another, as long as that finds something better."""
        best = None
        while self.found.best is not None and self.found.best is not best:
            best = self.found.best
            for lower in self.lattice.finer(best.levels):
                for levels in (lower, *self.lattice.coarser(lower)):
                    if levels != best.levels:
                        self._check(levels)

    def _cut(self) -> None:
        """Halve the box of the lowest bound until none can hold anything better."""
        while self.boxes and self._is_open(self.boxes[0].bound):
            box = self.boxes[0]
            column = self._widest(box)
            highest = (box.finest[column] + box.coarsest.levels[column]) // 2
            lower = self._check(_with_level(box.coarsest.levels, column, highest))
            heappop(self.boxes)
            self._add_box(box.finest, lower, box.bound)
            self._add_box(_with_level(box.finest, column, highest + 1), box.coarsest, box.bound)
        self.boxes.clear()

    def _add_box(self, finest: Levels, coarsest: Check, least: float = float("-inf")) -> None:
        """Keep a box if it can hold anything better; its coarsest combination has been checked."""
        if self._is_closed(coarsest) or finest == coarsest.levels:
            return
        bound = max(least, self.bounds.least_between(finest, coarsest))
        if self._is_open(bound):
            heappush(self.boxes, Box(bound, finest, coarsest))

    def _widest(self, box: Box) -> int:
        """Return the column in which the box spans most."""

        def span(column: int) -> float:
            terms, low = self.floor_terms[column], box.finest[column]
            high = box.coarsest.levels[column]
            return abs(float(terms[high] - terms[low])) if high > low else -1.0

        return max(range(len(box.finest)), key=span)

    def _is_open(self, bound: float) -> bool:
        """Say whether something of this bound may still be the best, or tie with it."""
        return bound <= self._cost_to_beat() + self.found.tolerance

    def _by_promise(self, levels: Levels, refused: set[int]) -> Iterator[tuple[Levels, int]]:
        def promise(column: int) -> float:
            terms = self.floor_terms[column]
            return abs(float(terms[levels[column]] - terms[levels[column] - 1]))

        columns = [c for c, level in enumerate(levels) if level and c not in refused]
        for column in sorted(columns, key=promise, reverse=True):
            yield _with_level(levels, column, levels[column] - 1), column

    def _check(self, levels: Levels) -> Check:
        elapsed = perf_counter() - self.started
        if elapsed > self.seconds and self.found.checked:
            raise SearchOutOfTime
        check = self.checker.check(levels)
        self.found.enter(check)
        if self.progress.is_due:
            figures = self.found.figures(self.checker, self.found.checked)
            done, total = int(1000 * elapsed), int(1000 * self.seconds)
            self.progress.report(min(done, total - 1), total, "search", **figures)
        return check

    def _is_closed(self, check: Check) -> bool:
        allowed = self.found.is_allowed(check)
        return not allowed and rules_out_finer(check, self.found.allowed)

    def _cost_to_beat(self) -> float:
        return self.found.best.cost if self.found.best else float("inf")


def _with_level(levels: Levels, column: int, level: int) -> Levels:
    return (*levels[:column], level, *levels[column + 1 :])
