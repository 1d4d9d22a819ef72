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

    def __init__(self, lattice: Lattice, floor: NDArray[np.float64]) -> None:
        self._floor = np.broadcast_to(floor, lattice.shape).copy()
        self._extra = np.zeros(lattice.shape)
        ranks = outer_sum([np.arange(height + 1.0) for height in lattice.heights])
        self._ranks = np.broadcast_to(ranks, lattice.shape).astype(np.int64)
        # Ties go to the smaller sum of levels, then to the lexicographically smaller vector, which
        # is the order of the flat index.
        position = np.arange(lattice.size).reshape(lattice.shape)
        self._order = self._ranks * lattice.size + position
        self._open = np.ones(lattice.shape, np.bool_)

    def close(self, levels: Levels) -> None:
        self._floor[levels] = np.inf

    def close_finer(self, levels: Levels) -> None:
        """Rule out a combination and all finer ones."""
        self._floor[_down_to(levels)] = np.inf

    def raise_finer(self, levels: Levels, terms: Sequence[NDArray[np.float64]]) -> None:
        """Note that these per-column terms add to the cost of every finer combination."""
        below = _down_to(levels)
        pairs = zip(terms, levels, strict=True)
        extra = outer_sum([term[: level + 1] for term, level in pairs])
        np.maximum(self._extra[below], extra, out=self._extra[below])

    def raise_coarser(self, levels: Levels, cost: float) -> None:
        """Note that no coarser combination costs less than this."""
        above = tuple(slice(level, None) for level in levels)
        np.maximum(self._floor[above], cost, out=self._floor[above])

    def keep_below(self, cost: float, levels: Levels | None) -> int:
        """Keep open what may beat this cost, or tie and come first; return how many there are."""
        bound = self._floor + self._extra
        self._open = bound < cost - tolerance(cost)
        if levels is not None:
            ties = bound <= cost + tolerance(cost)
            self._open |= ties & (self._order < self._order[levels])
        return int(np.count_nonzero(self._open))

    def coarsest(self) -> Levels:
        """Return the open combination with the highest sum of levels.

        Ruling it out closes most below it; if it is allowed, its bound lifts most below it.
        """
        flat = int(np.where(self._open, self._ranks, -1).argmax())
        return tuple(int(level) for level in np.unravel_index(flat, self._open.shape))

    def lowest_bound(self) -> float:
        """Return the lowest cost that is still possible among open combinations."""
        return float((self._floor + self._extra)[self._open].min(initial=np.inf))


def tolerance(cost: float) -> float:
    """Return how far apart two costs may be and still be a tie, given rounding in their sums."""
    return 1e-11 * max(1.0, abs(cost)) if math.isfinite(cost) else 0.0


def _down_to(levels: Levels) -> tuple[slice, ...]:
    return tuple(slice(0, level + 1) for level in levels)
