"""Positions of nodes in a drawing: by springs, or one dot per community for large networks.

Where one community holds most people, as in networks that are a dense core with a periphery, dots
are shells around the core instead.

The same network always gets the same picture. Coordinates lie between 0 and 1.
"""

from dataclasses import dataclass, fields
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.structure.structure import Structure
from deid_portal.engine.networks.structure.structure_kernels import count_cores
from deid_portal.engine.report.network import DotsBeside, GroupsBeside, LinksBeside, NetworkDrawing

MOST_DRAWN = 400
MOST_DOTS = 60  # the last one stands for all communities beyond the largest
REST = MOST_DOTS - 1
MOST_JOINED = 40  # communities with links to others that are left
MOST_MERGED = 50_000  # communities that are joined one by one
MOST_IN_ONE = 0.5  # share of people in one community from which communities tell nothing
FEWEST_IN_SHELL = 5
STEPS = 120
MARGIN = 0.35  # around a part without links to others, in shares of its side
Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NetworkLayout:
    """Dots and lines; a dot is a node, or a group of `sizes` nodes where there are too many."""

    points: Points  # dot × (x, y)
    sizes: NDArray[np.int64]  # nodes behind each dot
    lines: NDArray[np.int64]  # line × two dots
    weights: NDArray[np.int64]  # links behind each line
    group_of: NDArray[np.int64]  # the dot of each node
    is_aggregated: bool
    shells: tuple[tuple[int, int], ...] | None = None  # the core numbers behind each dot

    @property
    def rest(self) -> int | None:
        """Return the dot that stands for all communities beyond the largest, if there is one."""
        return REST if self.is_aggregated and len(self.sizes) == MOST_DOTS else None

    @property
    def drawing(self) -> NetworkDrawing:
        """Return what a report tells of it."""
        return NetworkDrawing(
            points=_pairs(np.round(self.points, 4)),
            sizes=tuple(self.sizes.tolist()),
            lines=_pairs(self.lines),
            weights=tuple(self.weights.tolist()),
            aggregated=self.is_aggregated,
            rest=self.rest,
            shells=self.shells,
        )


def _pairs(values: NDArray[Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, values.tolist()))


def lay_out_network(network: Network, group_of: NDArray[Any] | None = None) -> NetworkLayout:
    """Place every node or, if there are too many, communities.

    With `group_of`, groups of another drawing are used, so that two networks can be compared.
    """
    plain = network.undirected
    if group_of is None and plain.nodes <= MOST_DRAWN:
        points = place_by_parts(plain.nodes, plain.pairs, np.ones(plain.edges))
        alone = np.arange(plain.nodes, dtype=np.int64)
        ones = np.ones(plain.nodes, np.int64)
        weights = np.ones(plain.edges, np.int64)
        return NetworkLayout(points, ones, plain.pairs.astype(np.int64), weights, alone, False)
    if group_of is not None:
        return _draw_groups(plain, np.asarray(group_of, np.int64))
    groups = _largest_communities(plain)
    if np.bincount(groups).max() > MOST_IN_ONE * plain.nodes:
        return _draw_shells(plain)
    return _draw_groups(plain, groups)


def _draw_shells(network: Network) -> NetworkLayout:
    """Draw a dot per shell, the core in the middle and the others around it, further and further.

    Core numbers of a shell lie between two powers of two; shells of few people are joined with the
    next one further in.
    """
    cores = count_cores(network.offsets, network.neighbors)
    outwards = np.frexp(cores.astype(np.float64))[1]  # 0, 1, 2 and 3, 4 to 7, ...
    for shell in range(int(outwards.max())):
        if (outwards == shell).sum() < FEWEST_IN_SHELL:
            outwards[outwards == shell] = shell + 1
    while (outwards == outwards.max()).sum() < FEWEST_IN_SHELL and len(np.unique(outwards)) > 1:
        outwards[outwards == outwards.max()] = np.unique(outwards)[-2]
    groups = np.unique(-outwards, return_inverse=True)[1].reshape(-1).astype(np.int64)
    count = int(groups.max(initial=0)) + 1
    turn, reach = 2.399963 * np.arange(count), np.arange(count) / max(count - 1, 1)
    points = 0.5 + 0.48 * np.column_stack([reach * np.cos(turn), reach * np.sin(turn)])
    between = _links_between(groups, network)
    ranges = tuple(
        (int(cores[groups == shell].min()), int(cores[groups == shell].max()))
        for shell in range(count)
    )
    sizes = np.bincount(groups, minlength=count).astype(np.int64)
    return NetworkLayout(points, sizes, between[:, :2], between[:, 2], groups, True, ranges)


def _largest_communities(network: Network) -> NDArray[np.int64]:
    """Return a dot per node: the largest communities, and one for all the rest."""
    found = merge_small(Structure(network).communities.astype(np.int64), network)
    sizes = np.bincount(found)
    order = np.argsort(-sizes, kind="stable")
    dot = np.full(len(sizes), MOST_DOTS - 1, np.int64)
    dot[order[: MOST_DOTS - 1]] = np.arange(min(len(order), MOST_DOTS - 1))
    return dot[found]


def merge_small(groups: NDArray[np.int64], network: Network) -> NDArray[np.int64]:
    """Join the smallest group with the one its links bind it to most, until few enough are left.

    Links count by the size of the other group, lest everything joins the largest. Groups without
    links to others stay; so do all where there are very many to begin with.
    """
    count = int(groups.max(initial=-1)) + 1
    if not REST < count <= MOST_MERGED:
        return groups
    links: list[dict[int, int]] = [{} for _ in range(count)]
    for first, second, weight in _links_between(groups, network).tolist():
        links[first][second] = links[second][first] = weight
    sizes = np.bincount(groups, minlength=count).tolist()
    joined = list(range(count))
    waiting = [(size, group) for group, size in enumerate(sizes)]
    heapify(waiting)
    left = sum(bool(own) for own in links)
    while waiting and left > MOST_JOINED:
        size, group = heappop(waiting)
        if joined[group] != group or size != sizes[group] or not links[group]:
            continue
        other = max(links[group], key=lambda own: (links[group][own] / sizes[own], -own))
        _join(links, group, other)
        joined[group] = other
        sizes[other] += size
        heappush(waiting, (sizes[other], other))
        left -= 1
    return np.unique(_ends_of(joined)[groups], return_inverse=True)[1].reshape(-1).astype(np.int64)


def _join(links: list[dict[int, int]], group: int, other: int) -> None:
    """Give all links of a group to another one."""
    for third, weight in links[group].items():
        del links[third][group]
        if third != other:
            links[third][other] = links[third].get(other, 0) + weight
            links[other][third] = links[other].get(third, 0) + weight
    links[group] = {}


def _ends_of(joined: list[int]) -> NDArray[np.int64]:
    """Return the final group of each group after all joins."""
    for group in range(len(joined)):
        end = group
        while joined[end] != end:
            end = joined[end]
        joined[group] = end
    return np.array(joined, np.int64)


def _links_between(groups: NDArray[np.int64], network: Network) -> NDArray[np.int64]:
    """Return every two groups with links between them, and how many."""
    count = int(groups.max(initial=0)) + 1
    ends = np.sort(groups[network.pairs], axis=1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    keys, links = np.unique(ends[:, 0] * count + ends[:, 1], return_counts=True)
    return np.column_stack([keys // count, keys % count, links]).astype(np.int64)


def _draw_groups(network: Network, groups: NDArray[np.int64]) -> NetworkLayout:
    count = int(groups.max(initial=0)) + 1
    sizes = np.bincount(groups, minlength=count).astype(np.int64)
    between = _links_between(groups, network)
    lines, weights = between[:, :2], between[:, 2]
    # The dot of the rest is linked with all others and would pull them together.
    drawn = (lines != REST).all(axis=1)
    points = place_by_parts(min(count, REST), lines[drawn], np.log1p(weights[drawn]))
    if count > REST:
        points = np.vstack([points, [0.5, 0.0]])
    return NetworkLayout(points, sizes, lines, weights, groups, True)


def place_by_parts(nodes: int, lines: NDArray[Any], pull: NDArray[Any]) -> Points:
    """Place each part without links to others by itself, the largest first, row after row."""
    part_of = _parts(nodes, lines)
    sizes = np.bincount(part_of)
    order = np.argsort(-sizes, kind="stable")
    sides = np.sqrt(sizes[order])
    width = max(float(sides.max(initial=0.0)), 1.15 * float(np.sqrt((sides**2).sum())))
    points = np.full((nodes, 2), 0.5)
    place = np.zeros(nodes, np.int64)
    x = y = row = 0.0
    for part, side in zip(order.tolist(), sides.tolist(), strict=True):
        if x and x + side > width:
            x, y, row = 0.0, y + row, 0.0
        members, own = np.flatnonzero(part_of == part), part_of[lines[:, 0]] == part
        place[members] = np.arange(len(members))
        rested = place_by_springs(len(members), place[lines[own]], pull[own])
        points[members] = [x, -y] + side * (rested * [1, -1])
        x, row = x + side * (1 + MARGIN), max(row, side * (1 + MARGIN))
    return _fit(points)


def _parts(nodes: int, lines: NDArray[Any]) -> NDArray[np.int64]:
    # Imported here, since it would delay the start of every process by a fifth of a second.
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(lines), np.int8)
    links = sparse.coo_matrix((ones, (lines[:, 0], lines[:, 1])), shape=(nodes, nodes))
    return np.asarray(connected_components(links, directed=False)[1], np.int64)


def draw_beside(
    original: Network, released: Network, rows: NDArray[Any]
) -> LinksBeside | GroupsBeside:
    """Draw a network and its release with the same layout; for internal use only.

    `rows` is the original node of each released one; every node must stand for a person.
    """
    before = original.undirected
    after = before.with_pairs(rows[released.undirected.pairs])
    layout = lay_out_network(before)
    dots = {own.name: getattr(layout.drawing, own.name) for own in fields(DotsBeside)}
    if layout.is_aggregated:
        return GroupsBeside(
            **dots,
            before=_pairs(_links_between(layout.group_of, before)),
            after=_pairs(_links_between(layout.group_of, after)),
            shells=layout.shells,
        )
    stays = after.has_edges(before.pairs) if before.edges else np.zeros(0, np.bool_)
    was = before.has_edges(after.pairs) if after.edges else np.zeros(0, np.bool_)
    return LinksBeside(
        **dots,
        kept=_pairs(before.pairs[stays]),
        removed=_pairs(before.pairs[~stays]),
        added=_pairs(after.pairs[~was]),
    )


def place_by_springs(nodes: int, lines: NDArray[Any], pull: NDArray[Any]) -> Points:
    """Let lines pull and dots push until they rest.

    T. Fruchterman and E. Reingold, Graph drawing by force-directed placement, 1991.
    """
    if nodes < 2:
        return np.full((nodes, 2), 0.5)
    turn = 2.399963 * np.arange(nodes)  # the golden angle spreads dots over a disc
    radius = np.sqrt((np.arange(nodes) + 0.5) / nodes)
    points = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    ideal = np.sqrt(4.0 / nodes)
    strength = pull / max(float(pull.max(initial=1.0)), 1e-9)
    for heat in np.linspace(0.2, 0.002, STEPS):
        moves = _push(points, ideal) + _pull(points, lines, strength, ideal) - 0.05 * points
        length = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), 1e-9)
        points = points + moves / length * np.minimum(length, heat)
    return _fit(points)


def _push(points: Points, ideal: float) -> Points:
    apart = points[:, None, :] - points[None, :, :]
    squared = np.maximum((apart**2).sum(axis=2), 1e-6)
    pushes: Points = (apart * (ideal**2 / squared)[:, :, None]).sum(axis=1)
    return pushes


def _pull(
    points: Points, lines: NDArray[Any], strength: NDArray[np.float64], ideal: float
) -> Points:
    moves = np.zeros_like(points)
    if not len(lines):
        return moves
    apart = points[lines[:, 0]] - points[lines[:, 1]]
    force = apart * (np.linalg.norm(apart, axis=1) * strength / ideal)[:, None]
    np.add.at(moves, lines[:, 0], -force)
    np.add.at(moves, lines[:, 1], force)
    return moves


def _fit(points: Points) -> Points:
    low, high = points.min(axis=0), points.max(axis=0)
    spread = float(max((high - low).max(), 1e-9))
    fitted: Points = 0.5 + (points - (low + high) / 2) / spread * 0.96
    return fitted
