"""Compiled loops that make the neighborhoods of a group alike."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.changing.growing_rows import (
    GrowingRows,
    add_link,
    are_joined,
    are_strangers,
    remove_link,
    row_of_node,
    size_of,
)
from deid_portal.engine.networks.knowledge.neighborhood_kernels import cut_out, find_parts

Nodes = NDArray[np.int32]
MOST_STRANGERS_TRIED = 5000
LARGEST_SUM = (1 << 24) - 1


class MergeArrays(NamedTuple):
    """The data of merging besides the links.

    Some of the arrays are changed in place, as said beside them.
    """

    rank: NDArray[np.int64]  # a random place for every node
    leaves: NDArray[np.int64]  # the label of each node as a leaf of its taxonomy
    levels: NDArray[np.int32]  # the level at which each label is shown; raised
    codes: NDArray[np.int32]  # level × leaf -> label; no levels without a taxonomy
    touched: NDArray[np.bool_]  # whose neighborhoods changed; marked
    place: NDArray[np.int32]  # -1 for every node; left so
    by_degree: Nodes  # everybody, those with fewest links first
    next_candidate: NDArray[np.int64]  # one number: the place of the next candidate


@compiled
def count_inside(rows: GrowingRows, nodes: Nodes, place: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return how many links there are among the neighbors of some nodes."""
    counts = np.zeros(len(nodes), np.int64)
    for index in range(len(nodes)):
        ends, _, _ = cut_out(rows.starts, rows.ends, rows.cells, nodes[index], place)
        counts[index] = ends[-1] // 2
    return counts


@compiled
def merge_groups(
    rows: GrowingRows,
    scene: MergeArrays,
    members: Nodes,
    starts: NDArray[np.int64],
    may_remove: bool,
    by_most: bool,
) -> GrowingRows:
    """Give all members of each group the same neighborhood; groups with a touched member wait.

    With `by_most` a neighborhood keeps links that most members have, else those all have.
    """
    for group in range(len(starts) - 1):
        own = members[starts[group] : starts[group + 1]]
        if scene.touched[own].any():
            continue
        rows = merge(rows, scene, own, may_remove, by_most)
    return rows


@compiled
def merge(
    rows: GrowingRows, scene: MergeArrays, group: Nodes, may_remove: bool, by_most: bool
) -> GrowingRows:
    sizes = np.empty(len(group), np.int64)
    for index in range(len(group)):
        sizes[index] = size_of(rows, group[index])
    sizes.sort()
    size = sizes[-1]
    if may_remove:
        size = sizes[(len(sizes) - 1) // 2] if by_most else sizes[0]
    for node in group:
        if size_of(rows, node) > size:
            for other in line_up(rows, scene, node)[0][size:]:
                remove_link(rows, node, other, scene.touched)
        rows = fill_up(rows, scene, node, size, group)
    scene.touched[group] = True
    for node in group:
        if size_of(rows, node) != size:
            return rows  # members became neighbors of each other: continue in the next round
    lines = align(rows, scene, group, size, may_remove and not by_most)
    stand_together(scene, lines)
    share_labels(rows, scene, group.reshape(-1, 1))
    share_labels(rows, scene, lines)
    needed = 1
    if may_remove:
        needed = len(group) // 2 + 1 if by_most else len(group)
    return share_links(rows, scene, lines, needed)


@compiled
def line_up(rows: GrowingRows, scene: MergeArrays, node: int) -> tuple[Nodes, Nodes]:
    """Put the neighbors of a node in an order that similar neighborhoods mostly share.

    Connected parts come one after the other, large ones first; within a part, who has most links
    in it, then whose neighbors have most. Returns the nodes and the size of each one's part.
    """
    around = row_of_node(rows, node).copy()
    size = len(around)
    ends, inner, _ = cut_out(rows.starts, rows.ends, rows.cells, node, scene.place)
    part_of, parts = find_parts(ends, inner)
    weights = np.zeros(parts, np.int64)  # size, then links
    for index in range(size):
        weights[part_of[index]] += (1 << 32) + ends[index + 1] - ends[index]
    rank_of_part = np.empty(parts, np.int64)
    rank_of_part[np.argsort(-weights, kind="mergesort")] = np.arange(parts)
    keys = np.empty(size, np.int64)
    ties = np.empty(size, np.int64)
    for index in range(size):
        total = 0
        for position in range(ends[index], ends[index + 1]):
            other = inner[position]
            total += ends[other + 1] - ends[other]
        degree = ends[index + 1] - ends[index]
        key = (rank_of_part[part_of[index]] << 17) + min(size - degree, (1 << 17) - 1)
        keys[index] = (key << 24) + LARGEST_SUM - min(total, LARGEST_SUM)
        ties[index] = (scene.leaves[around[index]] << 32) - scene.rank[around[index]]
    first = np.argsort(-ties, kind="mergesort")
    order = first[np.argsort(keys[first], kind="mergesort")]
    part_sizes = np.empty(size, np.int32)
    for index in range(size):
        part_sizes[index] = weights[part_of[order[index]]] >> 32
    return around[order], part_sizes


@compiled
def align(
    rows: GrowingRows, scene: MergeArrays, group: Nodes, size: int, is_common: bool
) -> NDArray[np.int32]:
    """Return a line of neighbors per member; those at the same place are to become alike.

    If only common links stay, each part contributes as many as its smallest counterpart has, and
    the rest goes to the end, so that parts of different size are not mixed.
    """
    lines = np.empty((len(group), size), np.int32)
    part_sizes = np.empty((len(group), size), np.int32)
    for index in range(len(group)):
        lines[index], part_sizes[index] = line_up(rows, scene, group[index])
    if not is_common:
        return lines
    starts = np.zeros(len(group), np.int64)
    left = np.empty((len(group), size), np.int32)
    left_over = np.zeros(len(group), np.int64)
    filled = 0
    moved = lines.copy()
    while starts.max() < size:
        least = size
        for index in range(len(group)):
            least = min(least, part_sizes[index, starts[index]])
        for index in range(len(group)):
            here, own = starts[index], part_sizes[index, starts[index]]
            moved[index, filled : filled + least] = lines[index, here : here + least]
            extra = own - least
            left[index, left_over[index] : left_over[index] + extra] = lines[
                index, here + least : here + own
            ]
            left_over[index] += extra
            starts[index] += own
        filled += least
    for index in range(len(group)):
        rest = size - filled
        beyond = lines[index, starts[index] :]
        moved[index, filled : filled + left_over[index]] = left[index, : left_over[index]]
        moved[index, filled + left_over[index] : filled + rest] = beyond
    return moved


@compiled
def stand_together(scene: MergeArrays, lines: NDArray[np.int32]) -> None:
    """Put neighbors that a line shares with the first one in the same place; they are alike."""
    size = lines.shape[1]
    for line in lines[1:]:
        for index in range(size):
            scene.place[line[index]] = index
        for index in range(size):
            here = scene.place[lines[0, index]]
            if here >= 0 and here != index:
                line[here], line[index] = line[index], line[here]
                scene.place[line[here]] = here
                scene.place[line[index]] = index
        for index in range(size):
            scene.place[line[index]] = -1


@compiled
def share_links(
    rows: GrowingRows, scene: MergeArrays, lines: NDArray[np.int32], needed: int
) -> GrowingRows:
    """Give every line the links that at least `needed` lines have, and remove all others."""
    votes = links_in_lines(rows, scene, lines)
    size = lines.shape[1]
    start = 0
    while start < len(votes):
        stop = start
        while stop < len(votes) and votes[stop] == votes[start]:
            stop += 1
        one, other = votes[start] // size, votes[start] % size
        for line in lines:
            if stop - start >= needed:
                rows = add_link(rows, line[one], line[other], scene.touched)
            else:
                remove_link(rows, line[one], line[other], scene.touched)
        start = stop
    return rows


@compiled
def links_in_lines(
    rows: GrowingRows, scene: MergeArrays, lines: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the places of every link within every line as one number, sorted."""
    size = lines.shape[1]
    found = np.empty(64, np.int64)
    filled = 0
    for line in lines:
        for index in range(size):
            scene.place[line[index]] = index
        for index in range(size):
            for other in row_of_node(rows, line[index]):
                there = scene.place[other]
                if there > index:
                    if filled == len(found):
                        more = np.empty(2 * filled, np.int64)
                        more[:filled] = found
                        found = more
                    found[filled] = index * size + there
                    filled += 1
        for index in range(size):
            scene.place[line[index]] = -1
    return np.sort(found[:filled])


@compiled
def fill_up(
    rows: GrowingRows, scene: MergeArrays, node: int, size: int, group: Nodes
) -> GrowingRows:
    """Link a node with nodes of few links, preferably without a common neighbor."""
    for pass_over in range(2):
        tried = 0
        while size_of(rows, node) < size and tried < len(scene.by_degree):
            other = scene.by_degree[scene.next_candidate[0]]
            scene.next_candidate[0] = (scene.next_candidate[0] + 1) % len(scene.by_degree)
            tried += 1
            if pass_over == 0 and tried > MOST_STRANGERS_TRIED:
                break
            if is_welcome(rows, node, other, group, pass_over == 0):
                rows = add_link(rows, node, other, scene.touched)
    return rows


@compiled
def is_welcome(rows: GrowingRows, node: int, other: int, group: Nodes, is_choosy: bool) -> bool:
    if not is_choosy:
        return bool(node - other != 0 and not are_joined(rows, node, other))
    for member in group:
        if member == other:
            return False
    return bool(are_strangers(rows, node, other))


@compiled
def share_labels(rows: GrowingRows, scene: MergeArrays, lines: NDArray[Any]) -> None:
    """Show nodes at the same place of all lines by the same label."""
    if len(scene.codes) == 0:
        return
    for index in range(lines.shape[1]):
        level = 0
        for line in lines:
            level = max(level, scene.levels[line[index]])
        while not is_one_label(scene, lines, index, level):
            level += 1
        for line in lines:
            node = line[index]
            if scene.levels[node] != level:
                scene.levels[node] = level
                scene.touched[node] = True
                for other in row_of_node(rows, node):
                    scene.touched[other] = True


@compiled
def is_one_label(scene: MergeArrays, lines: NDArray[Any], index: int, level: int) -> bool:
    label = scene.codes[level, scene.leaves[lines[0][index]]]
    is_one = True
    for line in lines:
        is_one &= scene.codes[level, scene.leaves[line[index]]] == label
    return is_one
