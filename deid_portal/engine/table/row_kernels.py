"""The compiled loops over all rows of a table."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled


@compiled
def place_codes(keys: NDArray[np.uint64], codes: NDArray[np.int32], shift: int) -> None:
    """Write a column's codes into the bits of the keys from `shift` on, which must be zero."""
    for row in range(len(keys)):
        keys[row] |= np.uint64(codes[row]) << np.uint64(shift)


@compiled
def count_rows(
    numbers: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each number and how many rows have it.

    Numbers are given in order of appearance, so a new one is always the next.
    """
    first = np.empty(count, np.int64)
    counts = np.zeros(count, np.int64)
    seen = 0
    for row in range(len(numbers)):
        number = numbers[row]
        if number == seen:
            first[seen] = row
            seen += 1
        counts[number] += 1
    return first, counts


@compiled
def add_counts(codes: NDArray[np.integer[Any]], counts: NDArray[np.int64]) -> None:
    """Add to the count of each code how many rows have it; none is negative."""
    for row in range(len(codes)):
        counts[np.uint32(codes[row])] += 1
