"""Compiled search for groups of people that leave few possible networks."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.hash_slots import slot_of
from deid_portal.engine.compiled.kernels import compiled


@compiled
def more_worlds(pairs: int, links: int) -> float:
    """Return log C(pairs, links + 1) - log C(pairs, links); 0 beyond all pairs."""
    return math.log(pairs - links) - math.log(links + 1) if links < pairs else 0.0


@compiled
def pairs_between(sizes: NDArray[np.int64], one: int, other: int) -> Any:
    if one == other:
        return sizes[one] * (sizes[one] - 1) // 2
    return sizes[one] * sizes[other]


@compiled
def change_count(
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    one: int,
    other: int,
    by: int,
) -> float:
    """Add or take one link between two groups; return the change of log possible networks."""
    low, high = min(one, other), max(one, other)
    key = np.int64(low) * len(sizes) + high
    slot = slot_of(keys, key)
    keys[slot] = key
    pairs = pairs_between(sizes, low, high)
    fewer = min(counts[slot], counts[slot] + by)
    counts[slot] += by
    return by * more_worlds(pairs, fewer)


@compiled
def move_node(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    group_of: NDArray[np.int32],
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    node: Any,
    group: int,
) -> float:
    change = 0.0
    old = group_of[node]
    for position in range(offsets[node], offsets[node + 1]):
        other = group_of[neighbors[position]]
        change += change_count(keys, counts, sizes, old, other, -1)
        change += change_count(keys, counts, sizes, group, other, 1)
    group_of[node] = group
    return change


@compiled
def count_group_links(
    group_of: NDArray[np.int32],
    pairs: NDArray[np.int32],
    groups: int,
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    for link in range(len(pairs)):
        one, other = group_of[pairs[link, 0]], group_of[pairs[link, 1]]
        key = np.int64(min(one, other)) * groups + max(one, other)
        slot = slot_of(keys, key)
        keys[slot] = key
        counts[slot] += 1


@compiled
def swap_nodes(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    group_of: NDArray[np.int32],
    keys: NDArray[np.int64],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    members: NDArray[np.int32],  # nodes by group
    starts: NDArray[np.int64],
    place: NDArray[np.int64],  # where each node stands in `members`
    chances: NDArray[np.float64],  # proposal × 4 numbers from 0 to 1
    heat: float,
) -> tuple[int, float]:
    """Exchange people between groups so that fewer networks are possible (simulated annealing).

    Worse exchanges are accepted with a chance that falls with the loss and rises with `heat`.
    Partners come from the groups of friends of friends.
    """
    taken, total = 0, 0.0
    for index in range(len(chances)):
        node = np.int64(chances[index, 0] * len(group_of))
        if offsets[node + 1] == offsets[node]:
            continue
        middle = neighbors[
            offsets[node] + np.int64(chances[index, 1] * (offsets[node + 1] - offsets[node]))
        ]
        friend = neighbors[
            offsets[middle] + np.int64(chances[index, 2] * (offsets[middle + 1] - offsets[middle]))
        ]
        group = group_of[friend]
        old = group_of[node]
        if group == old:
            continue
        other = members[starts[group] + np.int64(chances[index, 3] * sizes[group])]
        change = move_node(offsets, neighbors, group_of, keys, counts, sizes, node, group)
        change += move_node(offsets, neighbors, group_of, keys, counts, sizes, other, old)
        if change < 0 or (heat > 0 and math.exp(-change / heat) > chances[index, 3] * 997 % 1):
            here, there = place[node], place[other]
            members[here], members[there] = other, node
            place[node], place[other] = there, here
            taken += 1
            total += change
        else:
            move_node(offsets, neighbors, group_of, keys, counts, sizes, other, group)
            move_node(offsets, neighbors, group_of, keys, counts, sizes, node, old)
    return taken, total
