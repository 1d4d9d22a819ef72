"""Finding the optimum among all combinations of levels.

Three ways, one answer: ties are broken the same way everywhere, so each returns the same
combination where it can prove it. Nothing is inferred that is not proved: only rules that are
monotone per record say anything about finer combinations once records are suppressed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.bounds import bounds_for, rules_out_finer
from deid_portal.engine.checking import Check, Checker
from deid_portal.engine.lattice import Lattice, Levels, OpenNodes
from deid_portal.engine.progress import Progress
from deid_portal.engine.rollup import Grouped

LARGEST_PROVABLE_LATTICE = 1_000_000
# Where to look next among open combinations, from 0, the coarsest, to 1. One that is refused rules
# out what is finer, one that is allowed tells more the finer it is: tried on Adult.
COARSEST_PLACE, FINEST_PLACE = 0.02, 0.2
MOST_CHECKS_OF_A_DESCENT = 5_000


@dataclass
class Found:
    """The best combination so far, the nearest miss, and what the search cost."""

    allowed: int  # records that may be suppressed
    nodes: int
    best: Check | None = None
    nearest: Check | None = None  # the combination that misses by fewest records
    checked: int = 0
    optimal: bool = True
    tolerance: float = 0.0  # costs nearer to each other than this are a tie

    def is_allowed(self, check: Check) -> bool:
        return check.suppressed <= self.allowed and np.isfinite(check.cost)

    def enter(self, check: Check) -> bool:
        """Take note of a check; return whether the combination is allowed."""
        self.checked += 1
        if not self.is_allowed(check):
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


def find_optimum(checker: Checker, allowed: int, progress: Progress) -> Found:
    """Search all combinations of levels for the cheapest that suppresses at most `allowed`."""
    lattice = Lattice(tuple(taxonomy.height for taxonomy in checker.taxonomies))
    found = Found(allowed, lattice.size, tolerance=checker.metric.tolerance)
    if lattice.size > LARGEST_PROVABLE_LATTICE:
        descend(checker, lattice, found, progress)
    else:
        search_with_bounds(checker, lattice, found, progress)
    return found


def search_with_bounds(
    checker: Checker, lattice: Lattice, found: Found, progress: Progress
) -> None:
    """Check open combinations, rather coarse ones, until none is left that could be better."""
    bounds = bounds_for(checker, found.allowed)
    place = (COARSEST_PLACE + FINEST_PLACE) / 2
    nodes = OpenNodes(lattice, bounds.floor_terms(), bounds.floor)
    while still_open := nodes.keep_below(*_to_beat(found), found.tolerance):
        if progress.is_due:
            settled = lattice.size - still_open
            progress.report(
                settled, lattice.size, "search", **_figures(checker, found, settled, nodes)
            )
        check = checker.check(nodes.take(place))
        nodes.lift_coarser(check.levels, bounds.above(check))
        is_allowed = found.enter(check)
        place = min(1.2 * place, FINEST_PLACE) if is_allowed else max(0.9 * place, COARSEST_PLACE)
        if not is_allowed and rules_out_finer(check, found.allowed):
            nodes.close_finer(check.levels)
        else:
            terms, amount = bounds.below(check)
            nodes.lift_finer(check.levels, terms, amount)


def search_exhaustively(
    checker: Checker, lattice: Lattice, found: Found, progress: Progress
) -> None:
    """Check every combination, each from the classes of one that is one step finer."""
    for check in every_check(checker, lattice):
        found.enter(check)
        if progress.is_due:
            figures = _figures(checker, found, found.checked)
            progress.report(found.checked, lattice.size, "search", **figures)


def descend(checker: Checker, lattice: Lattice, found: Found, progress: Progress) -> None:
    """Walk down from the top, always to the cheapest allowed neighbor; proves nothing."""
    found.optimal = False
    current = checker.check(lattice.heights)
    if not found.enter(current) and rules_out_finer(current, found.allowed):
        found.optimal = True
        return
    while found.checked < MOST_CHECKS_OF_A_DESCENT:
        before = found.best
        for levels in lattice.finer(current.levels):
            found.enter(checker.check(levels))
            figures = _figures(checker, found, found.checked)
            progress.report(found.checked, MOST_CHECKS_OF_A_DESCENT, "search", **figures)
        if found.best is before or found.best is None:
            return
        current = found.best


def every_check(checker: Checker, lattice: Lattice) -> Iterator[Check]:
    """Visit all combinations depth first, keeping only the classes on the way."""
    grouper = checker.grouper
    order = grouper.column_order

    def visit(place: int, grouped: Grouped) -> Iterator[Check]:
        yield checker.check_grouped(grouped)
        for later in range(place, len(order)):
            column, raised = order[later], grouped
            for level in range(1, lattice.heights[column] + 1):
                levels = (*grouped.levels[:column], level, *grouped.levels[column + 1 :])
                raised = grouper.group(levels, raised)
                yield from visit(later + 1, raised)

    return visit(0, grouper.group(lattice.bottom))


def _to_beat(found: Found) -> tuple[float, Levels | None]:
    return (found.best.cost, found.best.levels) if found.best else (float("inf"), None)


def _figures(
    checker: Checker, found: Found, settled: int, nodes: OpenNodes | None = None
) -> dict[str, object]:
    figures: dict[str, object] = {
        "nodes": found.nodes,
        "checked": found.checked,
        "settled": settled,
    }
    metric = checker.metric
    if found.best is not None:
        figures["best"] = metric.value_of_cost(found.best.cost)
        figures["best_levels"] = dict(zip(checker.patterns.names, found.best.levels, strict=True))
    if nodes is not None:
        figures["bound"] = metric.value_of_cost(nodes.lowest_bound())
    return figures
