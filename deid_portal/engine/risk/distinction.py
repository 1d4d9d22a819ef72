"""Distinction and separation: how well columns tell people apart.

R. Motwani and Y. Xu, Efficient algorithms for masking and finding quasi-identifiers, 2008.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.grouping import Patterns
from deid_portal.engine.risk.projection import refine, sizes_of
from deid_portal.engine.table import Codes, Counts

MOST_COMBINATIONS = 5000


@dataclass(frozen=True)
class Distinctness:
    """How far a combination of columns is a key.

    `distinction` is the share of records that could stay if the columns had to be a key;
    `separation` the share of pairs of records they tell apart.
    """

    columns: tuple[str, ...]
    distinct: int
    distinction: float
    separation: float


def measure_distinction(columns: tuple[str, ...], sizes: Counts) -> Distinctness:
    """Measure one combination by its class sizes; no pair at all counts as separated."""
    rows = int(sizes.sum())
    pairs = rows * (rows - 1) // 2
    alike = int((sizes * (sizes - 1) // 2).sum())
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
    start = np.zeros(len(patterns.counts), np.int32)
    measured = list(_measure_deeper(patterns, (), start, deepest))
    return sorted(measured, key=lambda found: (-found.separation, len(found.columns)))


def _measure_deeper(
    patterns: Patterns, chosen: tuple[int, ...], numbers: Codes, deepest: int
) -> Iterator[Distinctness]:
    """Add every later column to a combination: each costs one pass over the patterns."""
    first = chosen[-1] + 1 if chosen else 0
    for index in range(first, len(patterns.names)):
        combination = (*chosen, index)
        finer = refine(numbers, patterns.codes[index])
        names = tuple(patterns.names[column] for column in combination)
        yield measure_distinction(names, sizes_of(finer, patterns.counts))
        if len(combination) < deepest:
            yield from _measure_deeper(patterns, combination, finer, deepest)


def _count_combinations(width: int, deepest: int) -> int:
    total, ways = 0, 1
    for size in range(1, deepest + 1):
        ways = ways * (width - size + 1) // size
        total += ways
    return total
