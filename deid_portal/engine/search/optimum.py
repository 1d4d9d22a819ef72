"""Finding the optimum among all combinations of levels.

All searches break ties in the same way, so each returns the same combination if it proves it
optimal. Combinations are ruled out by proof only: once records are suppressed, only models that are
monotone per record allow conclusions about finer combinations.
"""

from collections.abc import Collection, Iterator

from deid_portal.engine.progress import Progress
from deid_portal.engine.search.bounds import bounds_for, rules_out_finer
from deid_portal.engine.search.check import Check, Checker
from deid_portal.engine.search.heuristic import Explorer
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.lattice import Lattice, Levels, OpenNodes
from deid_portal.engine.search.rollup import RolledUpClasses
from deid_portal.engine.search.suppression_forecast import SuppressionForecast

LARGEST_PROVABLE_LATTICE = 1_000_000
# Where to look next among open combinations, from 0, the coarsest, to 1. One that is refused rules
# out what is finer, one that is allowed tells more the finer it is: tried on Adult.
COARSEST_PLACE, FINEST_PLACE = 0.02, 0.2
# If so large a share was checked and that still is open, bounds say too little: going through all
# combinations in order takes less than choosing among them.
FUTILE_CHECKS, STILL_OPEN = 0.1, 0.7
DEFAULT_SECONDS = 60.0


def find_optimum(
    checker: Checker,
    allowed: int,
    progress: Progress,
    seconds: float = DEFAULT_SECONDS,
    *,
    must_prove: bool = True,
) -> SearchResult:
    """Search all combinations of levels for the cheapest that suppresses at most `allowed`.

    The time limit concerns only lattices too large for a search that proves its answer, or all of
    them if it need not be proved.
    """
    lattice = Lattice(tuple(taxonomy.height for taxonomy in checker.taxonomies))
    found = SearchResult(allowed, lattice.size, tolerance=checker.metric.tolerance)
    if lattice.size > LARGEST_PROVABLE_LATTICE or not must_prove:
        Explorer(checker, lattice, found, progress, seconds).explore()
    else:
        search_with_bounds(checker, lattice, found, progress)
    return found


def search_with_bounds(
    checker: Checker, lattice: Lattice, found: SearchResult, progress: Progress
) -> None:
    """Check open combinations, coarse ones first, until none is left that could be better."""
    bounds = bounds_for(checker, found.allowed)
    forecast = SuppressionForecast(lattice.heights)
    place = (COARSEST_PLACE + FINEST_PLACE) / 2
    nodes = OpenNodes(lattice, bounds.floor_terms(), bounds.floor)
    checked: set[Levels] = set()
    while still_open := nodes.keep_below(*_to_beat(found), found.tolerance):
        if progress.is_due:
            settled = lattice.size - still_open
            found.bound = nodes.lowest_bound()
            progress.report(settled, lattice.size, "search", **found.figures(checker, settled))
        if len(checked) > FUTILE_CHECKS * lattice.size and still_open > STILL_OPEN * lattice.size:
            search_exhaustively(checker, lattice, found, progress, checked)
            return
        levels, floor = nodes.pick(place)
        needed = min(found.allowed + 1, bounds.records_to_exceed(floor, _to_beat(found)[0]))
        coarser = _climb(nodes, forecast, levels, needed)
        levels = levels if coarser in checked else coarser
        checked.add(levels)
        check = checker.check(levels)
        forecast.learn(levels, int(check.lost.sum()))
        nodes.close(levels)
        nodes.lift_coarser(check.levels, bounds.above(check))
        is_allowed = found.enter(check)
        place = min(1.2 * place, FINEST_PLACE) if is_allowed else max(0.9 * place, COARSEST_PLACE)
        if not is_allowed and rules_out_finer(check, found.allowed):
            nodes.close_finer(check.levels)
        else:
            terms, amount = bounds.below(check)
            nodes.lift_finer(check.levels, terms, amount)


def _climb(
    nodes: OpenNodes, forecast: SuppressionForecast, levels: Levels, needed: float
) -> Levels:
    """Return a coarser combination that may lose as many records as needed to rule this one out.

    It may cost too much to be the answer itself, but its check then rules out all finer ones.
    """
    expected, limit = forecast.expect(levels), forecast.scale(needed)
    if expected <= limit:
        return levels
    return nodes.climb(levels, forecast.drops(nodes.free_columns), expected, limit)


def search_exhaustively(
    checker: Checker,
    lattice: Lattice,
    found: SearchResult,
    progress: Progress,
    checked: Collection[Levels] = (),
) -> None:
    """Check every combination, each from the classes of one that is one step finer."""
    for check in every_check(checker, lattice):
        if check.levels not in checked:
            found.enter(check)
        if progress.is_due:
            figures = found.figures(checker, found.checked)
            progress.report(found.checked, lattice.size, "search", **figures)


def every_check(checker: Checker, lattice: Lattice) -> Iterator[Check]:
    """Visit all combinations depth first, keeping only the classes on the way."""
    grouper = checker.grouper
    order = grouper.column_order
    # Combinations to be checked, the finer classes each is made from, and which of the columns in
    # order may be raised further: those from this place on.
    waiting: list[tuple[Levels, RolledUpClasses | None, int]] = [(lattice.bottom, None, 0)]
    while waiting:
        levels, source, place = waiting.pop()
        grouped = grouper.group(levels, source)
        yield checker.check_grouped(grouped)
        for later in range(place, len(order)):
            column = order[later]
            level = levels[column] + 1
            if level <= lattice.heights[column]:
                coarser = (*levels[:column], level, *levels[column + 1 :])
                waiting.append((coarser, grouped, later))


def _to_beat(found: SearchResult) -> tuple[float, Levels | None]:
    return (found.best.cost, found.best.levels) if found.best else (float("inf"), None)
