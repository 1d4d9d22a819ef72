"""Compiled loops that cut falling degrees into groups."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled

FAR = 1 << 60


@compiled
def group_cost(
    falling: NDArray[np.int64], sums: NDArray[np.int64], start: int, end: int, may_remove: bool
) -> Any:
    """Return what it costs to give nodes start..end-1 the degree of their first or middle one."""
    if not may_remove:
        return falling[start] * (end - start) - (sums[end] - sums[start])
    middle = (start + end) // 2
    above = (sums[middle] - sums[start]) - falling[middle] * (middle - start)
    below = falling[middle] * (end - middle) - (sums[end] - sums[middle])
    return above + below


@compiled
def prefix_sums(falling: NDArray[np.int64]) -> NDArray[np.int64]:
    sums = np.zeros(len(falling) + 1, np.int64)
    for index in range(len(falling)):
        sums[index + 1] = sums[index] + falling[index]
    return sums


@compiled
def cut_optimally(
    falling: NDArray[np.int64], k: int, may_remove: bool, even: bool
) -> tuple[NDArray[np.int64], int]:
    """Return where groups start, by how much more their degree is raised, and the cost or -1.

    The best costs are kept separately for even and odd sums. If the sum must be even, a group may
    be raised by one in addition.
    """
    nodes = len(falling)
    sums = prefix_sums(falling)
    best = np.full((nodes + 1, 2), FAR, np.int64)
    came_from = np.full((nodes + 1, 2), -1, np.int64)
    raised_by = np.zeros((nodes + 1, 2), np.int8)
    best[0, 0] = 0
    for end in range(k, nodes + 1):
        for start in range(max(end - 2 * k, 0), end - k + 1):
            if best[start, 0] >= FAR and best[start, 1] >= FAR:
                continue
            plain = group_cost(falling, sums, start, end, may_remove)
            highest = falling[start]
            for raised in range(2 if even and highest + 1 < nodes else 1):
                cost = plain
                if raised:
                    cost = raised_cost(falling, sums, start, end, may_remove)
                for parity in range(2):
                    total = best[start, parity] + cost
                    now = (parity + cost) & 1
                    if total < best[end, now]:
                        best[end, now] = total
                        came_from[end, now] = start
                        raised_by[end, now] = raised
    parity = 0 if even or best[nodes, 0] <= best[nodes, 1] else 1
    if best[nodes, parity] >= FAR:
        return np.zeros((0, 2), np.int64), -1
    return walk_back(falling, sums, came_from, raised_by, best, parity, may_remove)


@compiled
def raised_cost(
    falling: NDArray[np.int64], sums: NDArray[np.int64], start: int, end: int, may_remove: bool
) -> Any:
    if not may_remove:
        return group_cost(falling, sums, start, end, False) + end - start
    middle = (start + end) // 2
    degree = falling[middle] + 1
    cost = 0
    for index in range(start, end):
        cost += abs(falling[index] - degree)
    return cost


@compiled
def walk_back(
    falling: NDArray[np.int64],
    sums: NDArray[np.int64],
    came_from: NDArray[np.int64],
    raised_by: NDArray[np.int8],
    best: NDArray[np.int64],
    parity: int,
    may_remove: bool,
) -> tuple[NDArray[np.int64], int]:
    nodes = len(falling)
    starts = np.empty((nodes + 1, 2), np.int64)
    cost = best[nodes, parity]
    found, end = 0, nodes
    while end > 0:
        start = came_from[end, parity]
        raised = raised_by[end, parity]
        if raised:
            own = raised_cost(falling, sums, start, end, may_remove)
        else:
            own = group_cost(falling, sums, start, end, may_remove)
        starts[found, 0] = start
        starts[found, 1] = raised
        found += 1
        parity = (parity + own) & 1
        end = start
    return starts[:found][::-1].copy(), cost


@compiled
def cut_with_core(
    core: NDArray[np.int64],
    others: NDArray[np.int64],
    k: int,
    core_price: int,
    other_price: int,
    most_lifted: int,
) -> tuple[NDArray[np.int64], int]:
    """Return groups as (how many of the core, how many others), and the least priced cost.

    Both lists fall, and each group takes the next of both, because nodes of equal price may
    exchange their new degrees. Groups of others only that lie below the core come last. Once
    `most_lifted` others are taken, further ones cost no more than they would, so the cost stays a
    lower bound; the groups are then empty.
    """
    inside, outside = len(core), len(others)
    core_sums, other_sums = prefix_sums(core), prefix_sums(others)
    rest, ends = cut_rest(others, k, other_price)
    best = np.full((inside + 1, most_lifted + 1), FAR, np.int64)
    came_from = np.zeros((inside + 1, most_lifted + 1, 2), np.int32)
    best[0, 0] = 0
    for i in range(inside):
        for x in range(most_lifted + 1):
            if best[i, x] >= FAR:
                continue
            is_above = x < most_lifted and others[x] >= core[inside - 1]
            for a in range(0 if is_above else 1, min(2 * k, inside - i + 1)):
                for b in range(max(k - a, 0), min(2 * k - a, outside - x + 1)):
                    level = core[i] if a else others[x]
                    if b and x < most_lifted:
                        level = max(level, others[x])
                    cost = best[i, x] + core_price * (a * level - (core_sums[i + a] - core_sums[i]))
                    if x < most_lifted:
                        own = b * level - (other_sums[x + b] - other_sums[x])
                        cost += other_price * own
                    elif b:
                        cost += other_price * b * max(level - others[most_lifted - 1], 0)
                    to = min(x + b, most_lifted)
                    if cost < best[i + a, to]:
                        best[i + a, to] = cost
                        came_from[i + a, to, 0] = a
                        came_from[i + a, to, 1] = b
    least, taken = FAR, 0
    for x in range(most_lifted + 1):
        after = rest[x] if x < most_lifted or most_lifted == outside else 0
        if best[inside, x] + after < least:
            least, taken = best[inside, x] + after, x
    if least >= FAR or (taken == most_lifted and most_lifted < outside):
        return np.zeros((0, 2), np.int64), least if least < FAR else 0
    return groups_with_core(came_from, ends, inside, taken, outside), least


@compiled
def cut_rest(
    falling: NDArray[np.int64], k: int, price: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return what it costs to group the nodes from each place on, and where its group ends."""
    nodes = len(falling)
    sums = prefix_sums(falling)
    best = np.full(nodes + 1, FAR, np.int64)
    ends = np.full(nodes + 1, nodes, np.int64)
    best[nodes] = 0
    for start in range(nodes - k, -1, -1):
        for end in range(start + k, min(start + 2 * k - 1, nodes) + 1):
            cost = best[end] + price * group_cost(falling, sums, start, end, False)
            if cost < best[start]:
                best[start] = cost
                ends[start] = end
    return best, ends


@compiled
def groups_with_core(
    came_from: NDArray[np.int32], ends: NDArray[np.int64], inside: int, taken: int, outside: int
) -> NDArray[np.int64]:
    groups = np.zeros((inside + outside + 1, 2), np.int64)
    found, i, x = 0, inside, taken
    while i > 0 or x > 0:
        groups[found, 0], groups[found, 1] = came_from[i, x, 0], came_from[i, x, 1]
        i -= groups[found, 0]
        x -= groups[found, 1]
        found += 1
    groups[:found] = groups[:found][::-1].copy()
    while taken < outside:
        groups[found, 1] = ends[taken] - taken
        taken = ends[taken]
        found += 1
    return groups[:found]


@compiled
def cut_greedily(falling: NDArray[np.int64], k: int, may_remove: bool) -> NDArray[np.int64]:
    """Return where groups start; each takes the next node if that costs less than leaving it."""
    nodes = len(falling)
    sums = prefix_sums(falling)
    starts = np.zeros((max(nodes // k, 1), 2), np.int64)
    groups, end = 1, min(k, nodes)
    while nodes - end >= k:
        start = starts[groups - 1, 0]
        joined = group_cost(falling, sums, start, end + 1, may_remove) - group_cost(
            falling, sums, start, end, may_remove
        )
        after = min(end + 1 + k, nodes)
        joined += group_cost(falling, sums, end + 1, after, may_remove) if after > end + 1 else 0
        apart = group_cost(falling, sums, end, end + k, may_remove)
        if joined < apart and nodes - end > k:
            end += 1
        else:
            starts[groups, 0] = end
            groups += 1
            end += k
    return starts[:groups]
