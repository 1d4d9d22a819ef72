"""Compiled loops that count unique rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled, number_keys
from deid_portal.engine.table.table import PackedCodes

Keys = NDArray[np.uint64]

# Up to so many possible keys per row are counted in an array instead of a hash table.
PLACES_PER_ROW = 8


@compiled
def add_numbers(codes: PackedCodes, numbers: Keys, total: Keys) -> None:
    """Add the number of each row's value to its key."""
    for row in range(len(codes)):
        total[row] += numbers[np.uint32(codes[row])]


@compiled
def pick_without(codes: PackedCodes, numbers: Keys, total: Keys, parts: int) -> Keys:
    """Subtract the numbers of a column from all keys; return the keys in the first part.

    `parts` is a power of 2. The loops do not branch on whether a key is picked, which the processor
    cannot predict: each is written, and stays if the count is raised.
    """
    mask = np.uint64(parts - 1)
    count = 0
    for row in range(len(total)):
        count += (total[row] - numbers[np.uint32(codes[row])]) & mask == 0
    picked = np.empty(count + 1, np.uint64)
    count = 0
    for row in range(len(total)):
        key = total[row] - numbers[np.uint32(codes[row])]
        picked[count] = key
        count += key & mask == 0
    return picked[:count]


@compiled
def pick_first_part(total: Keys, parts: int) -> Keys:
    """Return the keys of the first part of all numbers."""
    mask = np.uint64(parts - 1)
    count = 0
    for key in total:
        count += key & mask == 0
    picked = np.empty(count + 1, np.uint64)
    count = 0
    for key in total:
        picked[count] = key
        count += key & mask == 0
    return picked[:count]


@compiled
def count_alone(
    sample: NDArray[np.uint32],  # column × row: codes from 0 on, without holes
    different: Keys,  # how many codes each column has; the product of three fits into 64 bits
    combinations: NDArray[np.int64],  # combination × column
) -> NDArray[np.int64]:
    """Count, for each combination of columns, the rows whose values no other row has."""
    found = np.empty(len(combinations), np.int64)
    keys = np.empty(sample.shape[1], np.uint64)
    for one in range(len(combinations)):
        keys[:] = 0
        possible = 1.0
        for column in combinations[one]:
            possible *= different[column]
            for row in range(len(keys)):
                keys[row] = keys[row] * different[column] + sample[column, row]
        if possible <= PLACES_PER_ROW * len(keys):
            found[one] = _count_ones(keys, int(possible))
        else:
            numbers, first = number_keys(keys)
            found[one] = _count_ones(numbers, len(first))
    return found


@compiled
def _count_ones(numbers: NDArray[np.integer[Any]], size: int) -> int:
    """Count the numbers below `size` that occur once."""
    times = np.zeros(size, np.uint8)
    for number in numbers:
        times[np.uint64(number)] += times[np.uint64(number)] < 2
    alone = 0
    for seen in times:
        alone += seen == 1
    return alone
