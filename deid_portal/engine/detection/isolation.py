"""How many rows are unique on some columns together, and how many without each of them.

The key of a row is the sum of one hash value per column, so a column is removed by subtraction. Of
long tables only keys in a part of the hash range are counted: rows that look alike have the same
key and are all counted or all skipped, so the share is that of the whole table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.compiled.cores import open_pool, usable_cores
from deid_portal.engine.detection import kernels
from deid_portal.engine.detection.lone_keys import Keys, count_lone_keys
from deid_portal.engine.table.table import Column, PackedCodes

ROWS_COUNTED = 100_000
# Larger tables are represented by evenly spaced rows.
CELLS_READ = 100_000_000
ROWS_READ = 5_000_000


@dataclass(frozen=True)
class Isolation:
    """Shares of the sampled rows that are unique."""

    together: float
    without: dict[int, float]  # by the place of the column left out
    rows: int


def measure_isolation(
    open_column: Callable[[int], Column], places: Sequence[int], rows: int
) -> Isolation:
    """Count with all columns at these places, and without each; a second for a million rows.

    Columns are opened one at a time, twice each: a wide table need not fit into memory.
    """
    step = max(-(-rows * len(places) // CELLS_READ), -(-rows // ROWS_READ), 1)
    total = np.zeros(-(-rows // step), np.uint64)
    for place in places:
        codes, numbers = _codes_and_numbers(open_column(place), place, step)
        kernels.add_numbers(codes, numbers, total)

    def without(place: int) -> float:
        codes, numbers = _codes_and_numbers(open_column(place), place, step)
        return _alone(kernels.pick_without(codes, numbers, total, _parts(total)), total)

    with open_pool(usable_cores()) as pool:
        shares = dict(zip(places, pool.map(without, places), strict=True))
    picked = kernels.pick_first_part(total, _parts(total))
    return Isolation(_alone(picked, total), shares, len(total))


def _codes_and_numbers(column: Column, place: int, step: int) -> tuple[PackedCodes, Keys]:
    codes = np.ascontiguousarray(column.packed[::step])
    codes.setflags(write=False)  # always, so that loops are compiled for one kind of array only
    return codes, _numbers_for(column, place)


def _numbers_for(column: Column, place: int) -> Keys:
    """Return a hash value for every value of a column (splitmix64 by Sebastiano Vigna)."""
    numbers = np.arange(len(column.texts), dtype=np.uint64)
    numbers += np.uint64((place + 1) << 40)
    numbers *= np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers ^= numbers >> np.uint64(shift)
        numbers *= np.uint64(factor)
    numbers ^= numbers >> np.uint64(31)
    return numbers


def _parts(total: Keys) -> int:
    """Return into how many parts the hash range is divided so that one holds enough keys."""
    return 1 << max(int(np.ceil(np.log2(max(len(total), 1) / ROWS_COUNTED))), 0)


def _alone(picked: Keys, total: Keys) -> float:
    """Return the share of unique rows, estimated from the keys of one part."""
    if not len(total):
        return 0.0
    return min(count_lone_keys(picked) * _parts(total) / len(total), 1.0)
