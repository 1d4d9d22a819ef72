"""Distinction and separation: how well columns tell people apart.

R. Motwani and Y. Xu, Efficient algorithms for masking and finding quasi-identifiers, 2008.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.report.risk import Distinctness
from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.projection import Projection
from deid_portal.engine.table.table import Counts

MOST_COMBINATIONS = 5000


def measure_distinction(columns: tuple[str, ...], sizes: Counts) -> Distinctness:
    """Measure one combination by its class sizes; no pair at all counts as separated."""
    rows = int(sizes.sum())
    pairs = rows * (rows - 1) // 2
    alike = (int(np.dot(sizes, sizes)) - rows) // 2
    return Distinctness(
        columns,
        len(sizes),
        len(sizes) / rows if rows else 0.0,
        1 - alike / pairs if pairs else 1.0,
    )


def rank_combinations(patterns: Patterns, most_columns: int | None = None) -> list[Distinctness]:
    """Measure every combination of quasi-identifiers, the most telling first.

    `most_columns` limits the size of a combination; needed for more than a dozen columns.
    """
    width = len(patterns.names)
    deepest = width if most_columns is None else min(most_columns, width)
    if _count_combinations(width, deepest) > MOST_COMBINATIONS:
        raise InvalidPlan(
            f"{width} columns make too many combinations; ask for combinations of fewer columns."
        )
    start = Projection.of_nothing(patterns)
    return rank_projections(patterns, _project_deeper(patterns, start, deepest))


def rank_projections(patterns: Patterns, projections: Iterable[Projection]) -> list[Distinctness]:
    """Measure the combinations of these views, the most telling first."""
    measured = [
        measure_distinction(tuple(patterns.names[column] for column in seen.columns), seen.sizes)
        for seen in projections
    ]
    return sorted(measured, key=lambda found: (-found.separation, len(found.columns)))


def _project_deeper(patterns: Patterns, seen: Projection, deepest: int) -> Iterator[Projection]:
    """Add every later column to a combination: each costs one pass over the patterns."""
    for column in range(max(seen.columns, default=-1) + 1, len(patterns.names)):
        finer = seen.split(patterns, column)
        yield finer
        if len(finer.columns) < deepest:
            yield from _project_deeper(patterns, finer, deepest)


def _count_combinations(width: int, deepest: int) -> int:
    total, ways = 0, 1
    for size in range(1, deepest + 1):
        ways = ways * (width - size + 1) // size
        total += ways
    return total
