"""What a search has found so far."""

from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from deid_portal.engine.search.check import Check, Checker
from deid_portal.engine.search.explored import ExploredNodes
from deid_portal.engine.search.recoding import Recoding


@dataclass
class SearchResult:
    """The best combination so far, the nearest miss, and what the search cost."""

    allowed: int  # records that may be suppressed
    nodes: int
    best: Check | None = None
    nearest: Check | None = None  # the combination that misses by fewest records
    checked: int = 0
    optimal: bool = True
    tolerance: float = 0.0  # costs nearer to each other than this are a tie
    bound: float = float("-inf")  # no combination costs less
    explored: ExploredNodes = field(default_factory=ExploredNodes)
    recoding: Recoding | None = None  # the answer, where one combination is not all of it

    def is_allowed(self, check: Check) -> bool:
        return check.suppressed <= self.allowed and isfinite(check.cost)

    def enter(self, check: Check) -> bool:
        """Take note of a check; return whether the combination is allowed."""
        self.checked += 1
        is_allowed = self.is_allowed(check)
        self.explored.note(check.levels, check.suppressed, check.cost if is_allowed else None)
        if not is_allowed:
            if self.nearest is None or check.suppressed < self.nearest.suppressed:
                self.nearest = check
            return False
        if self.best is None or self._comes_first(check, self.best):
            self.best = check
        return True

    def _comes_first(self, check: Check, best: Check) -> bool:
        if abs(check.cost - best.cost) <= self.tolerance:
            return (sum(check.levels), check.levels) < (sum(best.levels), best.levels)
        return check.cost < best.cost

    def figures(self, checker: Checker, settled: int) -> dict[str, Any]:
        """Return what a person waiting is told."""
        figures: dict[str, Any] = {
            "nodes": self.nodes,
            "checked": self.checked,
            "settled": settled,
            "metric": checker.metric.name,
        }
        value_of = checker.metric.value_of_cost
        if self.best is not None:
            figures["best"] = value_of(self.best.cost)
            figures["best_suppressed"] = self.best.suppressed
            levels = list(zip(checker.patterns.names, self.best.levels, strict=True))
            figures["best_levels"] = dict(levels)
            figures["best_words"] = {
                name: taxonomy.level_names[level]
                for (name, level), taxonomy in zip(levels, checker.taxonomies, strict=True)
            }
        if isfinite(self.bound):
            figures["bound"] = value_of(self.bound)
        return figures
