"""The search space: every combination of levels, and what is still open in it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Levels = tuple[int, ...]


@dataclass(frozen=True)
class Lattice:
    """All combinations of levels, from the original (all 0) to the top (all heights)."""

    heights: Levels

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(height + 1 for height in self.heights)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def bottom(self) -> Levels:
        return (0,) * len(self.heights)

    def coarser(self, levels: Levels) -> list[Levels]:
        """Return the combinations one step above."""
        return [
            (*levels[:column], level + 1, *levels[column + 1 :])
            for column, level in enumerate(levels)
            if level < self.heights[column]
        ]

    def finer(self, levels: Levels) -> list[Levels]:
        """Return the combinations one step below."""
        return [
            (*levels[:column], level - 1, *levels[column + 1 :])
            for column, level in enumerate(levels)
            if level > 0
        ]


def outer_sum(terms: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Add one term per column over all combinations; the answer has one axis per column."""
    total = np.zeros((1,) * len(terms))
    for axis, term in enumerate(terms):
        shape = [1] * len(terms)
        shape[axis] = len(term)
        total = total + term.reshape(shape)
    return total


class OpenNodes:
    """The combinations that may still hold the optimum, with a lower bound of the cost of each.

    The bound is the sum of two parts: `floor` is known from finer combinations (a record never
    costs less when its class grows), `extra` from coarser ones (a record suppressed there is
    suppressed here too). A combination that was checked or ruled out has an infinite bound.
    """

    def __init__(self, lattice: Lattice, tolerance: float = 0.0) -> None:
        self._columns = len(lattice.heights)
        # Columns that cannot be raised need no axis; arrays have at most 64 of them.
        self._free = [i for i, height in enumerate(lattice.heights) if height] or [0]
        shape = tuple(lattice.shape[column] for column in self._free)
        self._tolerance = tolerance
        self._floor = np.zeros(shape)
        self._extra = np.zeros(shape)
        self._open = np.ones(shape, np.bool_)
        ranks = outer_sum([np.arange(length, dtype=np.float64) for length in shape])
        self._ranks = ranks.astype(np.int64)
        # Ties go to the smaller sum of levels, then to the lexicographically smaller vector, which
        # is the order of the flat index.
        self._order = self._ranks * lattice.size + np.arange(lattice.size).reshape(shape)

    def set_floor(self, terms: Sequence[NDArray[np.float64]]) -> None:
        """Set what each combination costs at least: one term per column and level."""
        self._floor = self._add_up(terms, [len(term) - 1 for term in terms])

    def close(self, levels: Levels) -> None:
        self._floor[tuple(levels[column] for column in self._free)] = np.inf

    def close_finer(self, levels: Levels) -> None:
        """Rule out a combination and all finer ones."""
        self._floor[self._down_to(levels)] = np.inf

    def raise_finer(self, levels: Levels, terms: Sequence[NDArray[np.float64]]) -> None:
        """Note that these per-column terms add to the cost of every finer combination."""
        below = self._down_to(levels)
        np.maximum(self._extra[below], self._add_up(terms, levels), out=self._extra[below])

    def raise_all_finer(self, levels: Levels, amount: float) -> None:
        """Note that this much adds to the cost of every finer combination."""
        below = self._down_to(levels)
        np.maximum(self._extra[below], amount, out=self._extra[below])

    def raise_coarser(self, levels: Levels, cost: float) -> None:
        """Note that no coarser combination costs less than this."""
        above = tuple(slice(levels[column], None) for column in self._free)
        np.maximum(self._floor[above], cost, out=self._floor[above])

    def keep_below(self, cost: float, levels: Levels | None) -> int:
        """Keep open what may beat this cost, or tie and come first; return how many there are."""
        bound = self._floor + self._extra
        self._open = bound < cost - self._tolerance
        if levels is not None:
            first = self._order < self._order[tuple(levels[column] for column in self._free)]
            self._open |= (bound <= cost + self._tolerance) & first
        return int(np.count_nonzero(self._open))

    def coarsest(self) -> Levels:
        """Return the open combination with the highest sum of levels.

        Ruling it out closes most below it; if it is allowed, its bound lifts most below it.
        """
        flat = int(np.where(self._open, self._ranks, -1).argmax())
        levels = [0] * self._columns
        for column, level in zip(self._free, np.unravel_index(flat, self._open.shape), strict=True):
            levels[column] = int(level)
        return tuple(levels)

    def lowest_bound(self) -> float:
        """Return the lowest cost that is still possible among open combinations."""
        return float((self._floor + self._extra)[self._open].min(initial=np.inf))

    def _down_to(self, levels: Levels) -> tuple[slice, ...]:
        return tuple(slice(0, levels[column] + 1) for column in self._free)

    def _add_up(
        self, terms: Sequence[NDArray[np.float64]], levels: Sequence[int]
    ) -> NDArray[np.float64]:
        """Add one term per column up to its level; columns without an axis add their only one."""
        fixed = sum(float(term[0]) for i, term in enumerate(terms) if i not in self._free)
        return outer_sum([terms[i][: levels[i] + 1] for i in self._free]) + fixed
