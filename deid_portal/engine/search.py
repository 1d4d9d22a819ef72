"""Finding the optimum among all combinations of levels.

Three ways, one answer: ties are broken the same way everywhere, so each returns the same
combination where it can prove it. Nothing is inferred that is not proved: only rules that are
monotone per record say anything about finer combinations once records are suppressed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.checking import Check, Checker
from deid_portal.engine.grouping import Classes
from deid_portal.engine.lattice import Lattice, Levels, OpenNodes
from deid_portal.engine.progress import Progress
from deid_portal.engine.table import Counts
from deid_portal.engine.utility.discernibility import Discernibility

LARGEST_PROVABLE_LATTICE = 1_000_000
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
    elif checker.costs is not None or isinstance(checker.metric, Discernibility):
        search_with_bounds(checker, lattice, found, progress)
    else:
        search_exhaustively(checker, lattice, found, progress)
    return found


def search_with_bounds(
    checker: Checker, lattice: Lattice, found: Found, progress: Progress
) -> None:
    """Check the coarsest open combination until none is left that could be better."""
    nodes = OpenNodes(lattice, checker.metric.tolerance)
    if checker.costs is not None:
        nodes.set_floor(checker.costs.kept)
    while still_open := nodes.keep_below(*_to_beat(found)):
        if progress.is_due:
            settled = lattice.size - still_open
            progress.report(
                settled, lattice.size, "search", **_figures(checker, found, settled, nodes)
            )
        check = checker.check(nodes.coarsest())
        if found.enter(check):
            nodes.close(check.levels)
        elif _rules_out_finer(checker, check, found.allowed):
            nodes.close_finer(check.levels)
            continue
        else:
            nodes.close(check.levels)
        _lift_bounds(checker, check, nodes)


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
    if not found.enter(current) and _rules_out_finer(checker, current, found.allowed):
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

    def visit(column: int, levels: Levels, classes: Classes) -> Iterator[Check]:
        if column == len(levels):
            return
        yield from visit(column + 1, levels, classes)
        for level in range(1, lattice.heights[column] + 1):
            levels = (*levels[:column], level, *levels[column + 1 :])
            check = checker.check(levels, classes)
            classes = check.classes
            yield check
            yield from visit(column + 1, levels, classes)

    bottom = checker.check(lattice.bottom)
    yield bottom
    yield from visit(0, lattice.bottom, bottom.classes)


def _rules_out_finer(checker: Checker, check: Check, allowed: int) -> bool:
    """Say whether every finer combination breaks the limit because this one does."""
    if int(check.classes.sizes[check.certain].sum()) > allowed:
        return True
    # With nothing suppressed, coarser tables of a table that passes pass too.
    return allowed == 0 and all(model.is_monotone for model in checker.models)


def _lift_bounds(checker: Checker, check: Check, nodes: OpenNodes) -> None:
    sizes = check.classes.sizes
    if checker.costs is not None:
        if check.certain.any():
            finest = checker.grouper.finest
            certain = check.certain[check.class_of]
            terms = checker.costs.added(finest.members, finest.sizes, certain)
            nodes.raise_finer(check.levels, terms)
        return
    # Discernibility: a record costs the size of its class, suppressed the size of the table.
    nodes.raise_coarser(check.levels, float(sizes @ sizes))
    gone: Counts = sizes[check.certain]
    nodes.raise_all_finer(check.levels, float(int(gone.sum()) * checker.rows - int(gone @ gone)))


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
