"""Neighbor lists that grow and shrink, without rewriting the network; compiled.

Every row stays sorted and has some room behind it; a row that outgrows its room moves to the end.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.kernels import place_in_row

LEAST_ROOM = 4


class GrowingRows(NamedTuple):
    """The start, end and capacity of the row of each node, in one array of cells."""

    cells: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    limits: NDArray[np.int64]
    used: NDArray[np.int64]  # one number: how many cells are given to rows


@compiled
def open_rows(offsets: NDArray[np.int64], neighbors: NDArray[np.int32]) -> GrowingRows:
    nodes = len(offsets) - 1
    starts = np.empty(nodes, np.int64)
    ends = np.empty(nodes, np.int64)
    limits = np.empty(nodes, np.int64)
    used = 0
    for node in range(nodes):
        size = offsets[node + 1] - offsets[node]
        starts[node] = used
        ends[node] = used + size
        used += size + size // 4 + LEAST_ROOM
        limits[node] = used
    cells = np.empty(max(2 * used, 1), np.int32)
    for node in range(nodes):
        cells[starts[node] : ends[node]] = neighbors[offsets[node] : offsets[node + 1]]
    return GrowingRows(cells, starts, ends, limits, np.array([used]))


@compiled
def close_rows(rows: GrowingRows) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return offsets and neighbors of the changed network."""
    nodes = len(rows.starts)
    offsets = np.zeros(nodes + 1, np.int64)
    for node in range(nodes):
        offsets[node + 1] = offsets[node] + rows.ends[node] - rows.starts[node]
    neighbors = np.empty(offsets[nodes], np.int32)
    for node in range(nodes):
        neighbors[offsets[node] : offsets[node + 1]] = rows.cells[
            rows.starts[node] : rows.ends[node]
        ]
    return offsets, neighbors


@compiled
def row_of_node(rows: GrowingRows, node: int) -> NDArray[np.int32]:
    return rows.cells[rows.starts[node] : rows.ends[node]]


@compiled
def size_of(rows: GrowingRows, node: int) -> Any:
    return rows.ends[node] - rows.starts[node]


@compiled
def are_joined(rows: GrowingRows, one: int, other: int) -> bool:
    if size_of(rows, one) > size_of(rows, other):
        one, other = other, one
    place = place_in_row(rows.cells, rows.starts[one], rows.ends[one], other)
    return bool(place < rows.ends[one] and rows.cells[place] == other)


@compiled
def add_link(rows: GrowingRows, one: int, other: int, touched: NDArray[np.bool_]) -> GrowingRows:
    """Link two nodes, if they are not linked, and mark nodes whose neighborhood that changes."""
    if one - other == 0 or are_joined(rows, one, other):
        return rows
    rows = _put(_put(rows, one, other), other, one)
    mark_around(rows, one, other, touched)
    return rows


@compiled
def remove_link(rows: GrowingRows, one: int, other: int, touched: NDArray[np.bool_]) -> None:
    """Remove a link, if there is one, and mark nodes whose neighborhood that changes."""
    if not are_joined(rows, one, other):
        return
    mark_around(rows, one, other, touched)
    _take(rows, one, other)
    _take(rows, other, one)


@compiled
def mark_around(rows: GrowingRows, one: int, other: int, touched: NDArray[np.bool_]) -> None:
    touched[one] = True
    touched[other] = True
    here, there = rows.starts[one], rows.starts[other]
    while here < rows.ends[one] and there < rows.ends[other]:
        left, right = rows.cells[here], rows.cells[there]
        if left == right:
            touched[left] = True
        here += left <= right
        there += right <= left


@compiled
def are_strangers(rows: GrowingRows, one: int, other: int) -> bool:
    """Say whether two nodes are not linked and have no neighbor in common."""
    if one - other == 0 or are_joined(rows, one, other):
        return False
    if size_of(rows, one) > size_of(rows, other):
        one, other = other, one
    for position in range(rows.starts[one], rows.ends[one]):
        if are_joined(rows, rows.cells[position], other):
            return False
    return True


@compiled
def _put(rows: GrowingRows, node: int, other: int) -> GrowingRows:
    if rows.ends[node] == rows.limits[node]:
        rows = _move(rows, node)
    end = rows.ends[node]
    place = place_in_row(rows.cells, rows.starts[node], end, other)
    for position in range(end, place, -1):
        rows.cells[position] = rows.cells[position - 1]
    rows.cells[place] = other
    rows.ends[node] = end + 1
    return rows


@compiled
def _take(rows: GrowingRows, node: int, other: int) -> None:
    place = place_in_row(rows.cells, rows.starts[node], rows.ends[node], other)
    rows.ends[node] -= 1
    for position in range(place, rows.ends[node]):
        rows.cells[position] = rows.cells[position + 1]


@compiled
def _move(rows: GrowingRows, node: int) -> GrowingRows:
    """Give a row twice its room at the end, and all rows more cells if there are too few."""
    size = rows.ends[node] - rows.starts[node]
    room = 2 * size + LEAST_ROOM
    start = rows.used[0]
    cells = rows.cells
    if start + room > len(cells):
        cells = np.empty(2 * (start + room), np.int32)
        cells[:start] = rows.cells[:start]
    cells[start : start + size] = rows.cells[rows.starts[node] : rows.ends[node]]
    rows.starts[node] = start
    rows.ends[node] = start + size
    rows.limits[node] = start + room
    rows.used[0] = start + room
    return GrowingRows(cells, rows.starts, rows.ends, rows.limits, rows.used)
