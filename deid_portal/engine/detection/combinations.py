"""Which columns together make people one of a kind, looked for among very many columns.

All pairs of the most telling columns, then the worst pairs with each further column: a bounded
number of passes over a bounded sample, whatever the width and length of the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.cores import open_pool, usable_cores
from deid_portal.engine.kernels import number_keys
from deid_portal.engine.risk.distinction import Distinctness, measure_distinction
from deid_portal.engine.table import Column, PackedCodes, count_codes

FEWEST_ROWS = 10_000
ROWS_IN_ALL = 10_000_000  # looked at over all combinations: a second or two
MOST_COLUMNS = 40
WORST_PAIRS = 30
WORST_SHOWN = 5
MOST_NUMBERED = 1 << 20

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class Combination:
    """Columns by place, how many of the rows looked at they make one of a kind, and how far."""

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

    For every column that isolates anybody there is the worst combination it takes part in.
    """
    rows = _how_many_rows(len(places))
    sample = {place: _sample(columns[place], rows) for place in places}
    # The finest columns first: what tells nobody apart alone adds little to others.
    different = {place: np.count_nonzero(count_codes(sample[place])) for place in sample}
    order = sorted(sample, key=lambda place: -different[place])[:MOST_COLUMNS]
    found = _join_each(sample, [(place,) for place in order])
    pairs = _join_each(sample, list(combinations(order, 2)))
    worst_pairs = sorted(pairs, key=lambda pair: -pair.alone)[:WORST_PAIRS]
    tried = {
        tuple(sorted((*pair.places, place)))
        for pair in worst_pairs
        for place in order
        if place not in pair.places
    }
    found += pairs + _join_each(sample, sorted(tried))
    found.sort(key=lambda one: (-one.alone, len(one.places), one.places))
    return [one for one in found if one.alone]


def without_idle(found: Sequence[Combination]) -> list[Combination]:
    """Leave out what isolates no more people than it does without one of its columns.

    What a date of birth does alone says nothing against the column beside it.
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


def _sample(column: Column, most: int) -> PackedCodes:
    """Return the codes of evenly spread rows: the same ones for every column, and every time."""
    step = -(-column.rows // most) or 1
    return column.packed[::step]


def _join_each(
    sample: dict[int, PackedCodes], combinations: Sequence[tuple[int, ...]]
) -> list[Combination]:
    """Measure combinations on all cores: numbering keys, which takes the time, needs no Python."""
    with open_pool(usable_cores()) as pool:
        return list(pool.map(lambda places: _join(sample, places), combinations))


def _join(sample: dict[int, PackedCodes], places: tuple[int, ...]) -> Combination:
    keys = sample[places[0]].astype(np.uint64)
    for place in places[1:]:
        codes = sample[place]
        keys *= np.uint64(int(codes.max()) + 1)
        keys += codes.astype(np.uint64)
    return Combination(tuple(sorted(places)), *_alone(keys))


def _alone(keys: Keys) -> tuple[int, int]:
    """Count the rows whose key no other row has, and all rows."""
    if len(keys) <= MOST_NUMBERED:
        numbers, _ = number_keys(keys)
        return int(np.count_nonzero(np.bincount(numbers) == 1)), len(keys)
    keys.sort()  # slower, but it needs no table
    differs = np.ones(len(keys) + 1, bool)
    np.not_equal(keys[1:], keys[:-1], out=differs[1:-1])
    return int(np.count_nonzero(differs[1:] & differs[:-1])), len(keys)
