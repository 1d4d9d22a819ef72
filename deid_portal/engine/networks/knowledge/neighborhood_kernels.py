"""Compiled loops over neighborhoods: the links among a node's neighbors, the node left out.

Colors are refined until they tell no more nodes apart (Weisfeiler and Leman, 1968). Neighborhoods
with different codes are never isomorphic. Where `is_amenable` says so, equal codes mean isomorphic
(V. Arvind, J. Köbler, G. Rattan and O. Verbitsky, Graph isomorphism, color refinement, and
compactness, Computational Complexity 26, 2017), up to two different colors meeting in one number of
64 bits.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.kernels import mix_bits, place_in_row

SALT = np.uint64(0x9E3779B97F4A7C15)
ONE = np.uint64(1)
WAY, BOTH_WAYS, TAIL, HEAD = (np.uint64(0xD1B54A32D192ED03 + step) for step in range(4))


@compiled
def cut_out(
    starts: NDArray[np.int64],  # where the row of each node starts
    stops: NDArray[np.int64],  # and ends
    neighbors: NDArray[np.int32],
    node: int,
    place: NDArray[np.int32],  # -1 for every node; left so
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return the neighborhood as neighbor lists of its own, by place in the node's row.

    Beside them, where each of its links stands among `neighbors`.
    """
    start = starts[node]
    size = stops[node] - start
    for index in range(size):
        place[neighbors[start + index]] = index
    room = max(4 * size, 16)
    rows = np.empty(room, np.int32)
    positions = np.empty(room, np.int64)
    ends = np.zeros(size + 1, np.int32)
    filled = 0
    for index in range(size):
        other = neighbors[start + index]
        degree = stops[other] - starts[other]
        if filled + min(size, degree) > len(rows):
            room = 2 * len(rows) + min(size, degree)
            rows = longer(rows, filled, room)
            positions = longer(positions, filled, room)
        if degree > 16 * size:
            for inner in range(size):
                third = neighbors[start + inner]
                position = place_in_row(neighbors, starts[other], stops[other], third)
                if position < stops[other] and neighbors[position] == third:
                    rows[filled] = inner
                    positions[filled] = position
                    filled += 1
        else:
            for position in range(starts[other], stops[other]):
                inner = place[neighbors[position]]
                if inner >= 0:
                    rows[filled] = inner
                    positions[filled] = position
                    filled += 1
        ends[index + 1] = filled
    for index in range(size):
        place[neighbors[start + index]] = -1
    return ends, rows[:filled], positions[:filled]


@compiled
def longer(numbers: NDArray[Any], filled: int, room: int) -> NDArray[Any]:
    grown = np.empty(room, numbers.dtype)
    grown[:filled] = numbers[:filled]
    return grown


@compiled
def draw_around(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    ways: NDArray[np.uint8],  # of each entry of a row: 1 there, 2 back, 3 both; none if undirected
    labels: NDArray[np.uint64],
    node: int,
    place: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64]]:
    """Return a neighborhood as neighbor lists, with what is known of each of its nodes.

    Where links have directions, every neighbor is known by the way to it, and the links among them
    get nodes of their own: one in the middle of a link both ways, a tail and a head on a link one
    way. Two such pictures are isomorphic exactly if the directed neighborhoods are.
    """
    around = neighbors[offsets[node] : offsets[node + 1]]
    ends, rows, positions = cut_out(offsets[:-1], offsets[1:], neighbors, node, place)
    known = labels[around]
    if len(ways) == 0:
        return ends, rows, known
    size = len(around)
    between = 0
    for index in range(size):
        for link in range(ends[index], ends[index + 1]):
            if rows[link] > index:
                between += 1 if ways[positions[link]] == 3 else 2
    whole = np.empty(size + between, np.uint64)
    for index in range(size):
        whole[index] = mix_bits(
            known[index] + mix_bits(np.uint64(ways[offsets[node] + index]) + WAY)
        )
    lists = np.zeros(size + between + 1, np.int32)
    lists[: size + 1] = ends
    for index in range(between):
        lists[size + index + 1] = lists[size + index] + 2
    drawn = np.empty(lists[size + between], np.int32)
    filled = ends[:size].copy()
    new = size
    for index in range(size):
        for link in range(ends[index], ends[index + 1]):
            other = rows[link]
            if other < index:
                continue
            way = ways[positions[link]]
            near, far = new, new if way == 3 else new + 1
            drawn[filled[index]] = near
            drawn[filled[other]] = far
            filled[index] += 1
            filled[other] += 1
            drawn[lists[near]] = index
            drawn[lists[far] + 1] = other
            if way == 3:
                whole[near] = mix_bits(BOTH_WAYS)
            else:
                drawn[lists[near] + 1] = far
                drawn[lists[far]] = near
                whole[near] = mix_bits(TAIL if way == 1 else HEAD)
                whole[far] = mix_bits(HEAD if way == 1 else TAIL)
            new = far + 1
    return lists, drawn, whole


@compiled
def find_parts(ends: NDArray[np.int32], rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], int]:
    """Number the connected parts of a neighborhood."""
    size = len(ends) - 1
    part_of = np.full(size, -1, np.int32)
    stack = np.empty(size, np.int32)
    parts = 0
    for first in range(size):
        if part_of[first] >= 0:
            continue
        part_of[first] = parts
        stack[0] = first
        waiting = 1
        while waiting:
            waiting -= 1
            here = stack[waiting]
            for position in range(ends[here], ends[here + 1]):
                other = rows[position]
                if part_of[other] < 0:
                    part_of[other] = parts
                    stack[waiting] = other
                    waiting += 1
        parts += 1
    return part_of, parts


@compiled
def count_distinct(colors: NDArray[np.uint64]) -> int:
    ordered = np.sort(colors)
    found = 1 if len(ordered) else 0
    for index in range(1, len(ordered)):
        found += ordered[index] != ordered[index - 1]
    return found


@compiled
def refine_colors(
    ends: NDArray[np.int32], rows: NDArray[np.int32], colors: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Refine colors by those of neighbors until no more nodes are told apart."""
    distinct = count_distinct(colors)
    while True:
        finer = np.empty_like(colors)
        for node in range(len(colors)):
            around = np.uint64(0)
            for position in range(ends[node], ends[node + 1]):
                around += mix_bits(colors[rows[position]] ^ SALT)
            finer[node] = mix_bits(mix_bits(colors[node]) + around)
        now = count_distinct(finer)
        colors = finer
        if now == distinct:
            return colors
        distinct = now


@compiled
def color(
    ends: NDArray[np.int32],
    rows: NDArray[np.int32],
    labels: NDArray[np.uint64],  # what else is known of each of the nodes
    part_of: NDArray[np.int32],
    parts: int,
) -> NDArray[np.uint64]:
    """Return the final colors; connected parts of different size never share one."""
    sizes = np.zeros(parts, np.int64)
    links = np.zeros(parts, np.int64)
    for node in range(len(labels)):
        sizes[part_of[node]] += 1
        links[part_of[node]] += ends[node + 1] - ends[node]
    colors = np.empty(len(labels), np.uint64)
    for node in range(len(labels)):
        part = part_of[node]
        start = mix_bits(labels[node] + mix_bits(np.uint64(ends[node + 1] - ends[node]) + SALT))
        colors[node] = mix_bits(
            start + mix_bits(np.uint64(sizes[part]) + mix_bits(np.uint64(links[part]) + ONE))
        )
    return refine_colors(ends, rows, colors)


@compiled
def code_of(colors: NDArray[np.uint64], part_of: NDArray[np.int32], parts: int) -> np.uint64:
    inside = np.zeros(parts, np.uint64)
    for node in range(len(colors)):
        inside[part_of[node]] += mix_bits(colors[node] + SALT)
    code = np.uint64(0)
    for part in range(parts):
        code += mix_bits(inside[part] ^ SALT)
    return mix_bits(code + mix_bits(np.uint64(len(colors)) + ONE))


@compiled
def codes_of_neighborhoods(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    ways: NDArray[np.uint8],
    labels: NDArray[np.uint64],  # what is known of every node besides; 0 for nothing
    nodes: NDArray[np.int32],
) -> NDArray[np.uint64]:
    """Return one number per asked node; isomorphic neighborhoods have the same."""
    place = np.full(len(offsets) - 1, -1, np.int32)
    codes = np.empty(len(nodes), np.uint64)
    for index in range(len(nodes)):
        node = nodes[index]
        ends, rows, known = draw_around(offsets, neighbors, ways, labels, node, place)
        if len(rows) == 0:
            code = np.uint64(0)
            for label in known:
                code += mix_bits(mix_bits(label + SALT))
            codes[index] = mix_bits(mix_bits(code) + mix_bits(np.uint64(len(known)) + SALT))
            continue
        part_of, parts = find_parts(ends, rows)
        colors = color(ends, rows, known, part_of, parts)
        codes[index] = code_of(colors, part_of, parts)
    return codes


@compiled
def are_amenable(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    ways: NDArray[np.uint8],
    labels: NDArray[np.uint64],
    nodes: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Say of each asked node whether its code settles its neighborhood up to isomorphism."""
    place = np.full(len(offsets) - 1, -1, np.int32)
    answers = np.ones(len(nodes), np.bool_)
    for index in range(len(nodes)):
        node = nodes[index]
        ends, rows, known = draw_around(offsets, neighbors, ways, labels, node, place)
        if len(rows) == 0:
            continue
        part_of, parts = find_parts(ends, rows)
        colors = color(ends, rows, known, part_of, parts)
        answers[index] = parts_are_amenable(ends, rows, colors, part_of, parts)
    return answers


@compiled
def parts_are_amenable(
    ends: NDArray[np.int32],
    rows: NDArray[np.int32],
    colors: NDArray[np.uint64],
    part_of: NDArray[np.int32],
    parts: int,
) -> bool:
    by_part = np.argsort(part_of, kind="mergesort")
    start = 0
    while start < len(by_part):
        stop = start
        links = 0
        while stop < len(by_part) and part_of[by_part[stop]] == part_of[by_part[start]]:
            links += ends[by_part[stop] + 1] - ends[by_part[stop]]
            stop += 1
        size = stop - start
        is_simple = size <= 3 or links == 2 * (size - 1) or links == size * (size - 1)
        if not is_simple and not is_amenable(ends, rows, colors, by_part[start:stop]):
            return False
        start = stop
    return True


@compiled
def is_amenable(
    ends: NDArray[np.int32],
    rows: NDArray[np.int32],
    colors: NDArray[np.uint64],  # refined until stable
    members: NDArray[np.int64],  # the nodes of one connected part
) -> bool:
    """Say whether refined colors settle a connected graph (Arvind et al., conditions A, B, G, H).

    Cells are nodes of one color. Within a cell and between two cells links must be none, all, a
    matching or stars, or what is missing from all must be that; where they are neither none nor
    all, cells must form trees that grow away from their smallest cell.
    """
    ordered = members[np.argsort(colors[members], kind="mergesort")]
    cell_of = np.full(len(ends) - 1, -1, np.int32)
    starts = np.empty(len(ordered) + 1, np.int32)
    cells = 0
    for position in range(len(ordered)):
        node = ordered[position]
        if position == 0 or colors[node] != colors[ordered[position - 1]]:
            starts[cells] = position
            cells += 1
        cell_of[node] = cells - 1
    starts[cells] = len(ordered)
    if cells == len(ordered):
        return True
    sizes = starts[1 : cells + 1] - starts[:cells]
    is_mixed = np.zeros(cells, np.bool_)  # neither without links nor complete
    counts = np.zeros(cells, np.int64)
    joined_from = np.empty(len(rows) + 1, np.int32)
    joined_to = np.empty(len(rows) + 1, np.int32)
    joins = 0
    for cell in range(cells):
        one = ordered[starts[cell]]
        for position in range(ends[one], ends[one + 1]):
            counts[cell_of[rows[position]]] += 1
        for position in range(ends[one], ends[one + 1]):
            other = cell_of[rows[position]]
            links, size = counts[other], sizes[other]
            counts[other] = 0
            if links == 0:
                continue
            if other == cell:
                if links == size - 1:
                    continue
                is_mixed[cell] = True
                if links != 1 and links != size - 2 and not (size == 5 and links == 2):
                    return False
            elif links < size:
                back = links * sizes[cell] // size
                is_stars = links == 1 or back == 1
                if not is_stars and links != size - 1 and back != sizes[cell] - 1:
                    return False
                joined_from[joins] = cell
                joined_to[joins] = other
                joins += 1
    return cells_form_trees(cells, sizes, is_mixed, joined_from[:joins], joined_to[:joins])


@compiled
def cells_form_trees(
    cells: int,
    sizes: NDArray[np.int32],
    is_mixed: NDArray[np.bool_],
    joined_from: NDArray[np.int32],  # in rising order
    joined_to: NDArray[np.int32],
) -> bool:
    firsts = np.searchsorted(joined_from, np.arange(cells + 1))
    seen = np.zeros(cells, np.bool_)
    stack = np.empty(cells, np.int32)
    parents = np.empty(cells, np.int32)
    for root in np.argsort(sizes, kind="mergesort"):
        if seen[root]:
            continue
        stack[0] = root
        parents[root] = -1
        seen[root] = True
        waiting, mixed = 1, 0
        while waiting:
            waiting -= 1
            cell = stack[waiting]
            if is_mixed[cell]:
                mixed += 1
                if mixed > 1 or sizes[cell] > sizes[root]:
                    return False
            for position in range(firsts[cell], firsts[cell + 1]):
                other = joined_to[position]
                if other == parents[cell]:
                    continue
                if seen[other] or sizes[other] < sizes[cell]:
                    return False
                seen[other] = True
                parents[other] = cell
                stack[waiting] = other
                waiting += 1
    return True
