"""How many rows some columns together make one of a kind, and how many without each of them.

A row's key is the sum of one scattered number per column, so a column is taken out by subtracting
it. Of long tables only keys of one part of all numbers are counted: rows that look alike have the
same key and are all counted or all left aside, which keeps the share what it is in the whole table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table import Column

ROWS_COUNTED = 100_000
CELLS_READ = 100_000_000  # beyond this, evenly spread rows stand for all of them

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Isolation:
    """Shares of the rows looked at that are one of a kind."""

    together: float
    without: dict[int, float]  # by the place of the column left out
    rows: int


def measure_isolation(
    open_column: Callable[[int], Column], places: Sequence[int], rows: int
) -> Isolation:
    """Count with all columns at these places, and without each; a second for a million rows.

    Columns are opened one at a time, twice each: a wide table need not fit into memory.
    """
    step = max(-(-rows * len(places) // CELLS_READ), 1)
    total = np.zeros(-(-rows // step), np.uint64)
    for place in places:
        total += _keys(open_column(place), place, step)
    without = {place: _alone(total - _keys(open_column(place), place, step)) for place in places}
    return Isolation(_alone(total), without, len(total))


def _keys(column: Column, place: int, step: int) -> Keys:
    return _numbers_for(column, place)[column.packed[::step]]


def _numbers_for(column: Column, place: int) -> Keys:
    """Return a scattered number for every value of a column (splitmix64 by Sebastiano Vigna)."""
    numbers = np.arange(len(column.texts), dtype=np.uint64)
    numbers += np.uint64((place + 1) << 40)
    numbers *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= np.uint64(factor)
    numbers ^= numbers >> np.uint64(31)
    return numbers


def _alone(keys: Keys) -> float:
    """Return the share of rows whose key no other row has."""
    if not len(keys):
        return 0.0
    parts = 1 << max(int(np.ceil(np.log2(len(keys) / ROWS_COUNTED))), 0)
    counted = np.sort(keys[keys & np.uint64(parts - 1) == 0] if parts > 1 else keys)
    differs = np.ones(len(counted) + 1, bool)
    np.not_equal(counted[1:], counted[:-1], out=differs[1:-1])
    alone = int(np.count_nonzero(differs[1:] & differs[:-1]))
    return min(alone * parts / len(keys), 1.0)
