"""Compiled loops over the structure of a network."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.kernels import is_linked


@compiled
def count_triangles(offsets: NDArray[np.int64], neighbors: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count the triangles of each node; each is found once, from its end of fewest links.

    Links are followed from the end with fewer links, so that nodes with very many links cost
    little.
    """
    nodes = len(offsets) - 1
    counts = np.zeros(nodes, np.int64)
    marked = np.full(nodes, -1, np.int32)
    for node in range(nodes):
        own = offsets[node + 1] - offsets[node]
        for position in range(offsets[node], offsets[node + 1]):
            if comes_before(offsets, node, own, neighbors[position]):
                marked[neighbors[position]] = node
        for position in range(offsets[node], offsets[node + 1]):
            other = neighbors[position]
            if marked[other] != node:
                continue
            degree = offsets[other + 1] - offsets[other]
            for further in range(offsets[other], offsets[other + 1]):
                third = neighbors[further]
                if marked[third] == node and comes_before(offsets, other, degree, third):
                    counts[node] += 1
                    counts[other] += 1
                    counts[third] += 1
    return counts


@compiled
def comes_before(offsets: NDArray[np.int64], node: int, degree: int, other: int) -> bool:
    others = offsets[other + 1] - offsets[other]
    return bool(degree < others or (degree == others and node < other))


@compiled
def find_components(offsets: NDArray[np.int64], neighbors: NDArray[np.int32]) -> NDArray[np.int32]:
    nodes = len(offsets) - 1
    part_of = np.full(nodes, -1, np.int32)
    queue = np.empty(nodes, np.int32)
    parts = 0
    for first in range(nodes):
        if part_of[first] >= 0:
            continue
        part_of[first] = parts
        queue[0] = first
        done, waiting = 0, 1
        while done < waiting:
            here = queue[done]
            done += 1
            for position in range(offsets[here], offsets[here + 1]):
                other = neighbors[position]
                if part_of[other] < 0:
                    part_of[other] = parts
                    queue[waiting] = other
                    waiting += 1
        parts += 1
    return part_of


@compiled
def count_distances(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    source: int,
    counts: NDArray[np.int64],
) -> None:
    """Add to the counts how many nodes are each number of links away."""
    nodes = len(offsets) - 1
    distance = np.full(nodes, -1, np.int32)
    queue = np.empty(nodes, np.int32)
    distance[source] = 0
    queue[0] = source
    done, waiting = 0, 1
    while done < waiting:
        here = queue[done]
        done += 1
        counts[distance[here]] += 1
        for position in range(offsets[here], offsets[here + 1]):
            other = neighbors[position]
            if distance[other] < 0:
                distance[other] = distance[here] + 1
                queue[waiting] = other
                waiting += 1


@compiled
def join_friends(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    order: NDArray[np.int32],
    labels: NDArray[np.int32],
) -> int:
    """Give everybody the most common label of their friends; return how many changed.

    Ties go to a node's own label, else to the smallest.
    """
    votes = np.zeros(len(labels), np.int32)
    changed = 0
    for node in order:
        start, end = offsets[node], offsets[node + 1]
        if start == end:
            continue
        for position in range(start, end):
            votes[labels[neighbors[position]]] += 1
        best, most = labels[node], votes[labels[node]]
        for position in range(start, end):
            label = labels[neighbors[position]]
            if votes[label] > most or (
                votes[label] == most and best != labels[node] and label < best
            ):
                best, most = label, votes[label]
        for position in range(start, end):
            votes[labels[neighbors[position]]] = 0
        if best != labels[node]:
            labels[node] = best
            changed += 1
    return changed


@compiled
def walk_on(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    rank: NDArray[np.float64],
    damping: float,
) -> NDArray[np.float64]:
    nodes = len(rank)
    shared = np.empty(nodes)
    lost = 0.0
    for node in range(nodes):
        degree = offsets[node + 1] - offsets[node]
        shared[node] = rank[node] / degree if degree else 0.0
        if not degree:
            lost += rank[node]
    base = (1 - damping) / nodes + damping * lost / nodes
    after = np.empty(nodes)
    for node in range(nodes):
        total = 0.0
        for position in range(offsets[node], offsets[node + 1]):
            total += shared[neighbors[position]]
        after[node] = base + damping * total
    return after


@compiled
def common_neighbors(
    offsets: NDArray[np.int64], neighbors: NDArray[np.int32], pairs: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Count for each pair how many neighbors they have in common."""
    counts = np.zeros(len(pairs), np.int64)
    for index in range(len(pairs)):
        one, other = pairs[index, 0], pairs[index, 1]
        if offsets[one + 1] - offsets[one] > offsets[other + 1] - offsets[other]:
            one, other = other, one
        for position in range(offsets[one], offsets[one + 1]):
            counts[index] += is_linked(offsets, neighbors, other, neighbors[position])
    return counts


@compiled
def count_cores(offsets: NDArray[np.int64], neighbors: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the largest k of each node so that it is among nodes with k links to each other.

    V. Batagelj and M. Zaversnik, An O(m) algorithm for cores decomposition of networks, 2003: the
    node with the fewest links left is taken away again and again; nodes stand in order of these.
    """
    nodes = len(offsets) - 1
    left = np.diff(offsets).astype(np.int32)
    most = 0
    for node in range(nodes):
        most = max(most, left[node])
    starts = np.zeros(most + 2, np.int64)
    for node in range(nodes):
        starts[left[node] + 1] += 1
    starts = np.cumsum(starts)
    ends = starts.copy()
    order = np.empty(nodes, np.int32)
    place = np.empty(nodes, np.int64)
    for node in range(nodes):
        place[node] = ends[left[node]]
        order[place[node]] = node
        ends[left[node]] += 1
    for index in range(nodes):
        node = order[index]
        for row in range(offsets[node], offsets[node + 1]):
            other = neighbors[row]
            if left[other] <= left[node]:
                continue
            first = max(starts[left[other]], index + 1)
            moved = order[first]
            order[place[other]], place[moved] = moved, place[other]
            order[first], place[other] = other, first
            starts[left[other]] = first + 1
            left[other] -= 1
    return left
