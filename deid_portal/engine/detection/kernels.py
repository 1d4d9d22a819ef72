"""The compiled loops that count people who are one of a kind."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.kernels import compiled
from deid_portal.engine.table import PackedCodes

Keys = NDArray[np.uint64]


@compiled
def add_numbers(codes: PackedCodes, numbers: Keys, total: Keys) -> None:
    """Add the number of each row's value to its key."""
    for row in range(len(codes)):
        total[row] += numbers[np.uint32(codes[row])]


@compiled
def pick_without(codes: PackedCodes, numbers: Keys, total: Keys, parts: int) -> Keys:
    """Take the numbers of a column off all keys; return those of the first part of all numbers.

    `parts` is a power of 2. The loops do not branch on whether a key is taken, which nobody could
    foresee: each is written down, and stays if the count moves on.
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
def pick(total: Keys, parts: int) -> Keys:
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
