"""Special uniques: records that are unique on few columns already.

M. Elliot, A. Manning and R. Ford, A computational algorithm for handling the special uniques
problem, IJUFKS 10(5), 2002. A minimal sample unique is a combination of columns on which a record
is alone while it is alone on no part of it; the fewer the columns, the higher the score.
"""

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.patterns import Patterns
from deid_portal.engine.table.projection import Combination, Projection
from deid_portal.engine.table.projection_kernels import find_minimal
from deid_portal.engine.table.table import Codes, Counts

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


class SpecialUniquesSearch:
    """Collects minimal sample uniques, combination by combination, the small ones first."""

    def __init__(self, patterns: Patterns, deepest: int) -> None:
        count, width = len(patterns.counts), len(patterns.names)
        self._names = patterns.names
        self._deepest = deepest
        self._scores = np.zeros(count, np.int64)
        self._smallest = np.zeros(count, np.int32)
        self._by_size = [0] * deepest
        self._by_column = np.zeros(width)
        self._alone: dict[Combination, Alone] = {(): np.zeros(count, np.bool_)}

    def add(self, seen: Projection) -> None:
        """Find the patterns that are alone on a combination and on no part of it."""
        chosen = seen.columns
        parts = [self._alone[part] for part in combinations(chosen, len(chosen) - 1)]
        alone = np.empty(len(seen.numbers), np.bool_)
        minimal = find_minimal(seen.numbers, seen.sizes, np.array(parts), alone)
        if len(chosen) < self._deepest:
            self._alone[chosen] = alone
        if not len(minimal):
            return
        weight = prod(len(self._names) - size for size in range(len(chosen), self._deepest))
        self._scores[minimal] += weight
        self._smallest[minimal[self._smallest[minimal] == 0]] = len(chosen)
        self._by_size[len(chosen) - 1] += len(minimal)
        self._by_column[list(chosen)] += weight * len(minimal)

    def found(self) -> SpecialUniques:
        total = max(int(self._scores.sum()), 1)
        shares = dict(zip(self._names, (self._by_column / total).tolist(), strict=True))
        return SpecialUniques(self._scores, self._smallest, tuple(self._by_size), shares)
