"""Compiled loops over neighbor lists, used by several modules of this package."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled


@compiled
def fill_rows(
    offsets: NDArray[np.int64],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
    directed: bool,
) -> NDArray[np.int32]:
    """Put every link into the rows of its ends; links come sorted, so rows are sorted too.

    Rows come out sorted: links with the node as second end are written first, by rising first end,
    and those with the node as first end after them.
    """
    nodes = len(offsets) - 1
    ends = offsets[:nodes].copy()
    rows = np.empty(offsets[nodes], np.int32)
    if not directed:
        for link in range(len(first)):
            node = second[link]
            rows[ends[node]] = first[link]
            ends[node] += 1
    for link in range(len(first)):
        node = first[link]
        rows[ends[node]] = second[link]
        ends[node] += 1
    return rows


@compiled
def place_in_row(cells: NDArray[np.int32], low: int, high: int, other: int) -> Any:
    """Return where a node stands in a sorted row, or where it would."""
    while low < high:
        middle = (low + high) // 2
        if cells[middle] < other:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def is_linked(
    offsets: NDArray[np.int64], neighbors: NDArray[np.int32], one: int, other: int
) -> bool:
    end = offsets[one + 1]
    place = place_in_row(neighbors, offsets[one], end, other)
    return bool(place < end and neighbors[place] == other)


@compiled
def are_linked(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    first: NDArray[np.int32],
    second: NDArray[np.int32],
) -> NDArray[np.bool_]:
    found = np.zeros(len(first), np.bool_)
    for index in range(len(first)):
        found[index] = is_linked(offsets, neighbors, first[index], second[index])
    return found


@compiled
def mix_bits(number: np.uint64) -> np.uint64:
    """Spread a number over 64 bits (splitmix64, Steele et al., 2014)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def is_either(node: int, one: int, other: int) -> bool:
    """Say whether a node is one of two; a tuple of numbers of different kinds would not compile."""
    return node - one == 0 or node - other == 0
