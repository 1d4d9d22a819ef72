"""The search space: all combinations of levels, and those not yet ruled out."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled import kernels

Levels = tuple[int, ...]
SAMPLE = 500  # open combinations a climb looks at


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


class OpenNodes:
    """The combinations that may still hold the optimum, with a lower bound of the cost of each.

    The bound is the sum of two parts: `floor` is known from the levels and finer combinations (a
    record never costs less when its class grows), `extra` from coarser
    combinations (a record suppressed there is suppressed here too). They stand in order, the
    highest sum of levels first.
    """

    def __init__(
        self,
        lattice: Lattice,
        floor_terms: Sequence[NDArray[np.float64]],
        floor: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    ) -> None:
        """Open all combinations; the floor follows from one term per column, added up."""
        self._heights = lattice.heights
        self._free = [column for column, height in enumerate(lattice.heights) if height] or [0]
        shape = [lattice.shape[column] for column in self._free]
        self._free_heights = np.array(shape, np.int16) - np.int16(1)
        self._term_starts = np.cumsum([0, *shape[:-1]])
        self._drop_starts = self._term_starts - np.arange(len(shape))
        self._no_terms = np.zeros(sum(shape))
        nodes = np.indices(shape, np.int16).reshape(len(shape), -1).T
        ranks = nodes.sum(axis=1, dtype=np.int64)
        # Ties go to the smaller sum of levels, then to the lexicographically smaller vector, which
        # is the order of the flat index.
        ties = ranks * lattice.size + np.arange(lattice.size)
        order = np.argsort(-ranks, kind="stable")
        self._strides = np.array([math.prod(shape[place + 1 :]) for place in range(len(shape))])
        self._size = lattice.size
        self._nodes = np.ascontiguousarray(nodes[order])
        self._ties = ties[order]
        self._extra = np.zeros(lattice.size)
        self.lift_finer(lattice.heights, floor_terms)
        self._floor = floor(self._extra)
        self._extra = np.zeros(lattice.size)

    def __len__(self) -> int:
        return len(self._nodes)

    def pick(self, place: float) -> tuple[Levels, float]:
        """Return one open combination and its floor: at 0 the coarsest, at 1 the finest."""
        index = int(place * (len(self._nodes) - 1))
        return self._all_columns(self._nodes[index]), float(self._floor[index])

    def climb(
        self, levels: Levels, drops: NDArray[np.float64], expected: float, limit: float
    ) -> Levels:
        """Return the coarser combination that is forecast to rule out most open combinations."""
        reached = kernels.climb(
            self._nodes,
            1 + len(self._nodes) // SAMPLE,
            np.array([levels[column] for column in self._free], np.int16),
            self._free_heights,
            drops,
            self._drop_starts,
            expected,
            limit,
        )
        return self._all_columns(reached)

    def close(self, levels: Levels) -> None:
        """Rule out one combination, if it is still open."""
        tie = self._tie(levels)
        index = kernels.place_of(self._ties, self._size, tie)
        if index < len(self._ties) and self._ties[index] == tie:
            self._floor[index] = np.inf

    @property
    def free_columns(self) -> list[int]:
        """Return the columns that can be raised."""
        return self._free

    def close_finer(self, levels: Levels) -> None:
        """Rule out a combination and all finer ones."""
        self.lift_finer(levels, (), np.inf)

    def lift_finer(
        self, levels: Levels, terms: Sequence[NDArray[np.float64]] = (), amount: float = 0.0
    ) -> None:
        """Raise the bound of every finer combination: by one term per column, and by an amount."""
        own = [terms[column] for column in self._free] if terms else [self._no_terms]
        fixed = sum(float(term[0]) for c, term in enumerate(terms) if c not in self._free)
        kernels.lift_finer(
            self._nodes,
            self._extra,
            np.array([levels[column] for column in self._free], np.int16),
            np.concatenate(own),
            self._term_starts,
            amount + fixed,
        )

    def lift_coarser(self, levels: Levels, cost: float) -> None:
        """Raise the bound of every coarser combination to at least this cost."""
        if cost > 0:
            own = np.array([levels[column] for column in self._free], np.int16)
            kernels.lift_coarser(self._nodes, self._floor, own, cost)

    def keep_below(self, cost: float, levels: Levels | None, tolerance: float) -> int:
        """Keep open what may beat this cost, or tie and come first; return how many there are."""
        count = kernels.sift(
            self._nodes, self._floor, self._extra, self._ties, cost, tolerance, self._tie(levels)
        )
        self._nodes, self._ties = self._nodes[:count], self._ties[:count]
        self._floor, self._extra = self._floor[:count], self._extra[:count]
        return count

    def lowest_bound(self) -> float:
        """Return the lowest cost that is still possible among open combinations."""
        return float((self._floor + self._extra).min(initial=np.inf))

    def _all_columns(self, levels: NDArray[np.int16]) -> Levels:
        answer = [0] * len(self._heights)
        for column, level in zip(self._free, levels.tolist(), strict=True):
            answer[column] = level
        return tuple(answer)

    def _tie(self, levels: Levels | None) -> int:
        if levels is None:
            return -1
        own = [levels[column] for column in self._free]
        return sum(own) * self._size + int(self._strides @ np.array(own, np.int64))
