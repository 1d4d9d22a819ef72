"""Searching many columns for combinations on which people are unique.

All pairs of the most telling columns, then the worst pairs with each further column: a bounded
number of passes over a bounded sample, whatever the width and length of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.cores import open_pool, usable_cores
from deid_portal.engine.detection import kernels
from deid_portal.engine.detection.lone_keys import Keys, count_lone_keys
from deid_portal.engine.report.risk import Distinctness
from deid_portal.engine.risk.distinction import measure_distinction
from deid_portal.engine.table.table import Column, Counts, PackedCodes, count_codes

FEWEST_ROWS = 10_000
ROWS_IN_ALL = 10_000_000  # looked at over all combinations: a second or two
MOST_COLUMNS = 40
WORST_PAIRS = 30
WORST_SHOWN = 5
MOST_NUMBERED = 1 << 20
PARTS = 16  # the combinations are measured in so many parts, for the cores to share


@dataclass(frozen=True)
class Combination:
    """A combination of columns (by place) and how many of the sampled rows are unique on it."""

    places: tuple[int, ...]
    alone: int
    rows: int

    @property
    def share(self) -> float:
        return self.alone / self.rows if self.rows else 0.0


def measure_column(column: Column) -> Distinctness:
    """Return the distinction and separation of one column, a gap being a value like any other."""
    counts = column.counts
    return measure_distinction((column.name,), counts if counts.all() else counts[counts > 0])


def find_worst(columns: Sequence[Column], places: Sequence[int]) -> list[Combination]:
    """Return combinations of up to three columns, the one that isolates most people first.

    For every column that isolates people, the worst combination with it is among them.
    """
    sample = _Sample(columns, places, _how_many_rows(len(places)))
    # The finest columns first: columns that distinguish little alone add little to others.
    order = sorted(places, key=sample.different, reverse=True)[:MOST_COLUMNS]
    found = sample.measure([(place,) for place in order])
    pairs = sample.measure(list(combinations(order, 2)))
    worst_pairs = sorted(pairs, key=lambda pair: -pair.alone)[:WORST_PAIRS]
    tried = {
        tuple(sorted((*pair.places, place)))
        for pair in worst_pairs
        for place in order
        if place not in pair.places
    }
    found += pairs + sample.measure(sorted(tried))
    found.sort(key=lambda one: (-one.alone, len(one.places), one.places))
    return [one for one in found if one.alone]


def without_idle(found: Sequence[Combination]) -> list[Combination]:
    """Leave out combinations that isolate no more people than without one of their columns.

    If a date of birth isolates people alone, that is no finding about a column combined with it.
    """
    alone = {one.places: one.alone for one in found}

    def adds(one: Combination) -> bool:
        fewer = combinations(one.places, len(one.places) - 1)
        return one.alone > max(alone.get(places, 0) for places in fewer)

    return [one for one in found if adds(one)]


def _how_many_rows(width: int) -> int:
    """Return how many rows to look at: all of them where few columns make few combinations."""
    width = min(width, MOST_COLUMNS)
    pairs = width * (width - 1) // 2
    triples = min(pairs, WORST_PAIRS) * max(width - 2, 0)
    return max(ROWS_IN_ALL // max(width + pairs + triples, 1), FEWEST_ROWS)


class _Sample:
    """Evenly spread rows of some columns: the same ones for every column, and every time."""

    def __init__(self, columns: Sequence[Column], places: Sequence[int], most: int) -> None:
        rows = columns[places[0]].rows if places else 0
        step = -(-rows // most) or 1
        numbered = [_number_without_holes(columns[place].packed[::step]) for place in places]
        self._index = {place: index for index, place in enumerate(places)}
        self._different = np.array([count for _, count in numbered], np.uint64)
        self._codes = np.empty((len(places), len(range(0, rows, step))), np.uint32)
        for index, (codes, _) in enumerate(numbered):
            self._codes[index] = codes

    def different(self, place: int) -> int:
        return int(self._different[self._index[place]])

    def measure(self, combinations: Sequence[tuple[int, ...]]) -> list[Combination]:
        """Measure combinations of equally many columns on all cores."""
        if not combinations:
            return []
        rows = self._codes.shape[1]
        index = np.array([[self._index[place] for place in one] for one in combinations])
        count = self._count_by_sorting if rows > MOST_NUMBERED else self._count
        with open_pool(usable_cores()) as pool:
            parts = np.array_split(index, min(PARTS, len(index)))
            alone = np.concatenate(list(pool.map(count, parts))).tolist()
        return [
            Combination(tuple(sorted(places)), rows_alone, rows)
            for places, rows_alone in zip(combinations, alone, strict=True)
        ]

    def _count(self, combinations: NDArray[np.int64]) -> Counts:
        return kernels.count_alone(self._codes, self._different, combinations)

    def _count_by_sorting(self, combinations: NDArray[np.int64]) -> Counts:
        """Count as the kernel does; slower, but it needs no table."""
        return np.array([count_lone_keys(self._join(one)) for one in combinations])

    def _join(self, columns: NDArray[np.int64]) -> Keys:
        keys = np.zeros(self._codes.shape[1], np.uint64)
        for column in columns:
            keys *= self._different[column]
            keys += self._codes[column]
        return keys


def _number_without_holes(codes: PackedCodes) -> tuple[NDArray[np.uint32], int]:
    """Return codes from 0 on in the same order, and how many different ones there are."""
    is_there = count_codes(codes) > 0
    numbers = np.cumsum(is_there, dtype=np.uint32) - np.uint32(1)
    return numbers[codes], int(np.count_nonzero(is_there))
