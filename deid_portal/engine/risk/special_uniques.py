"""Special uniques: records that a few columns already single out.

M. Elliot, A. Manning and R. Ford, A computational algorithm for handling the special uniques
problem, IJUFKS 10(5), 2002. A minimal sample unique is a combination of columns on which a record
is alone while it is alone on no part of it; the fewer the columns, the higher the score.
"""

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.grouping import Patterns
from deid_portal.engine.risk.projection import refine, sizes_of
from deid_portal.engine.table import Codes, Counts

MOST_COMBINATIONS = 5000
Combination = tuple[int, ...]
Alone = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """Minimal sample uniques of a table; all arrays are per distinct pattern.

    A pattern that several records share is never unique: its score is 0.
    """

    scores: Counts  # SUDA-like, 0 for records no combination singles out
    smallest: Codes  # columns in the smallest minimal unique, 0 for none
    by_size: tuple[int, ...]  # minimal uniques of 1, 2, ... columns
    by_column: dict[str, float]  # share of all scores the column takes part in

    @property
    def records(self) -> int:
        """Return how many records at least one combination singles out."""
        return int((self.smallest > 0).sum())


def find_special_uniques(patterns: Patterns, most_columns: int = 3) -> SpecialUniques:
    """Find all minimal sample uniques of up to `most_columns` columns."""
    width = len(patterns.names)
    deepest = min(most_columns, width)
    sets = [chosen for size in range(1, deepest + 1) for chosen in combinations(range(width), size)]
    if len(sets) > MOST_COMBINATIONS:
        raise InvalidPlan(
            f"{width} columns make too many combinations; ask for combinations of fewer columns."
        )
    count = len(patterns.counts)
    scores, smallest = np.zeros(count, np.int64), np.zeros(count, np.int32)
    by_size, by_column = [0] * deepest, np.zeros(width)
    for chosen, minimal in _minimal(patterns, sets):
        found = int(minimal.sum())
        weight = prod(width - size for size in range(len(chosen), deepest)) if found else 0
        scores[minimal] += weight
        smallest[minimal & (smallest == 0)] = len(chosen)
        by_size[len(chosen) - 1] += found
        by_column[list(chosen)] += weight * found
    total = max(int(scores.sum()), 1)
    shares = dict(zip(patterns.names, (by_column / total).tolist(), strict=True))
    return SpecialUniques(scores, smallest, tuple(by_size), shares)


def _minimal(patterns: Patterns, sets: list[Combination]) -> list[tuple[Combination, Alone]]:
    """Return per combination which patterns are alone on it and on no part of it."""
    nothing: Combination = ()
    numbers: dict[Combination, Codes] = {nothing: np.zeros(len(patterns.counts), np.int32)}
    alone: dict[Combination, Alone] = {nothing: np.zeros(len(patterns.counts), np.bool_)}
    found = []
    for chosen in sets:
        finer = refine(numbers[chosen[:-1]], patterns.codes[chosen[-1]])
        numbers[chosen] = finer
        alone[chosen] = sizes_of(finer, patterns.counts)[finer] == 1
        before = np.logical_or.reduce(
            [alone[part] for part in combinations(chosen, len(chosen) - 1)]
        )
        found.append((chosen, alone[chosen] & ~before))
    return found
