"""Compiled loops over distinct patterns projected onto some of their columns."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled, number_keys, sum_by_number

# A table with a place for every pair may have this many entries per pattern.
SPACIOUS = 4


@compiled
def split_groups(
    numbers: NDArray[np.int32],  # group of each pattern
    groups: int,
    codes: NDArray[np.int32],  # one more column, a code per pattern
    values: int,  # its codes are below this
    counts: NDArray[np.int64],  # records per pattern
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Split groups by one more column; return each pattern's new group and the records of each.

    Groups and codes are usually so few that a table can have a place for each pair.
    """
    if groups * values > SPACIOUS * len(numbers) + 1024:
        keys = np.empty(len(numbers), np.uint64)
        for index in range(len(numbers)):
            keys[index] = np.uint64(numbers[index]) * np.uint64(values) + np.uint64(codes[index])
        finer, first = number_keys(keys)
        return finer, sum_by_number(finer, counts, len(first))
    places = np.full(groups * values, -1, np.int32)
    finer = np.empty(len(numbers), np.int32)
    sizes = np.zeros(min(groups * values, len(numbers)), np.int64)
    found = 0
    for index in range(len(numbers)):
        place = np.uint64(numbers[index]) * np.uint64(values) + np.uint64(codes[index])
        number = places[place]
        if number < 0:
            number = found
            places[place] = number
            found += 1
        finer[index] = number
        sizes[np.uint64(number)] += counts[index]
    return finer, sizes[:found].copy()


@compiled
def find_minimal(
    numbers: NDArray[np.int32],
    sizes: NDArray[np.int64],
    parts: NDArray[np.bool_],  # subset of the columns × pattern: unique on it
    alone: NDArray[np.bool_],  # per pattern, to be filled: unique on the combination
) -> NDArray[np.int64]:
    """Return the patterns that are unique on a combination of columns and on no subset of it."""
    minimal = np.empty(len(numbers), np.int64)
    found = 0
    for index in range(len(numbers)):
        alone[index] = sizes[np.uint64(numbers[index])] == 1
        if alone[index]:
            is_minimal = True
            for part in range(len(parts)):
                is_minimal &= not parts[part, index]
            if is_minimal:
                minimal[found] = index
                found += 1
    return minimal[:found].copy()


@compiled
def size_without(
    keys: NDArray[np.uint64], kept: np.uint64, counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the records of each group of keys that are alike in the bits to keep."""
    numbers, first = number_keys(keys & kept)
    return sum_by_number(numbers, counts, len(first))
