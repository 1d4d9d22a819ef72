"""Searching a lattice too large to keep bounds for all of it, within a time limit.

First down from the top to a good answer, then from there to its neighbors, then branch by branch,
the most promising first. Every answer is valid; it is proved to be the best only if no branch is
left that could hold a better one, and otherwise the bound says how much better one could be.
"""

from collections.abc import Iterator
from contextlib import suppress
from heapq import heappop, heappush
from time import perf_counter

from deid_portal.engine.bounds import bounds_for, rules_out_finer
from deid_portal.engine.checking import Check, Checker
from deid_portal.engine.found import Found
from deid_portal.engine.lattice import Lattice, Levels
from deid_portal.engine.progress import Progress


class OutOfTime(Exception):  # noqa: N818 - not an error
    """The time limit is reached."""


class Explorer:
    """One search within a time limit; what it finds is entered into `found`."""

    def __init__(
        self, checker: Checker, lattice: Lattice, found: Found, progress: Progress, seconds: float
    ) -> None:
        self.checker = checker
        self.lattice = lattice
        self.found = found
        self.progress = progress
        self.seconds = seconds
        self.started = perf_counter()
        self.bounds = bounds_for(checker, found.allowed)
        self.floor_terms = self.bounds.floor_terms()
        # What is still to be looked into: cost and levels of a combination, and what those finer
        # than it cost at least.
        self.branches: list[tuple[float, Levels, float]] = []

    def explore(self) -> None:
        self.found.optimal = False
        top = self._check(self.lattice.heights)
        if self._is_closed(top):
            self.found.optimal = True
            return
        self.branches = [(top.cost, top.levels, self.bounds.least_below(top))]
        with suppress(OutOfTime):
            self._descend(top)
            self._improve()
            self._branch()
            self.found.optimal = True
        bounds = [self._cost_to_beat(), *(bound for _, _, bound in self.branches)]
        self.found.bound = min(bounds)

    def _descend(self, current: Check) -> None:
        """Lower the column that promises most as long as the release stays allowed and cheaper."""
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
        """Trade one step in a column for one in another as long as that helps."""
        best = None
        while self.found.best is not None and self.found.best is not best:
            best = self.found.best
            for lower in self.lattice.finer(best.levels):
                for levels in (lower, *self.lattice.coarser(lower)):
                    if levels != best.levels:
                        self._check(levels)

    def _branch(self) -> None:
        """Open the branch under the cheapest combination until none can hold anything better."""
        seen = {self.branches[0][1]}
        while self.branches:
            cost, levels, bound = heappop(self.branches)
            try:
                for finer in self.lattice.finer(levels) if self._is_open(bound) else ():
                    if finer not in seen:
                        self._add_branch(self._check(finer), bound)
                        seen.add(finer)
            except OutOfTime:
                heappush(self.branches, (cost, levels, bound))
                raise

    def _add_branch(self, check: Check, bound: float) -> None:
        bound = max(bound, self.bounds.least_below(check))
        if not self._is_closed(check) and self._is_open(bound):
            heappush(self.branches, (check.cost, check.levels, bound))

    def _is_open(self, bound: float) -> bool:
        """Say whether something of this bound may still be the best, or tie with it."""
        return bound <= self._cost_to_beat() + self.found.tolerance

    def _by_promise(self, levels: Levels, refused: set[int]) -> Iterator[tuple[Levels, int]]:
        def promise(column: int) -> float:
            terms = self.floor_terms[column]
            return abs(float(terms[levels[column]] - terms[levels[column] - 1]))

        columns = [c for c, level in enumerate(levels) if level and c not in refused]
        for column in sorted(columns, key=promise, reverse=True):
            yield (*levels[:column], levels[column] - 1, *levels[column + 1 :]), column

    def _check(self, levels: Levels) -> Check:
        elapsed = perf_counter() - self.started
        if elapsed > self.seconds and self.found.checked:
            raise OutOfTime
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
