"""Groups of at least k people with the links between them, and networks that could be behind them.

M. Hay et al., Resisting structural re-identification in anonymized social networks, PVLDB 2008: the
fewer networks fit the counts, the likelier the true one among them, so a grouping is the better the
fewer possible networks it leaves.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.hash_slots import FREE
from deid_portal.engine.networks.changing import grouping_kernels
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress

PROPOSALS_AT_ONCE = 20_000
SPARE = 8


@dataclass(frozen=True, eq=False)
class Grouping:
    """A group per node, and how many links are within and between groups."""

    group_of: Nodes
    sizes: NDArray[np.int64]
    pairs: Nodes  # two groups, the smaller number first; the same twice for links within
    links: NDArray[np.int64]  # between them
    directed: bool = False  # pairs are then from the first group to the second

    @classmethod
    def of(cls, network: Network, group_of: Nodes) -> "Grouping":
        groups = int(group_of.max()) + 1
        ends = group_of[network.pairs].astype(np.int64)
        if not network.directed:
            ends = np.sort(ends, axis=1)
        keys, links = np.unique(ends[:, 0] * groups + ends[:, 1], return_counts=True)
        sizes = np.bincount(group_of, minlength=groups).astype(np.int64)
        pairs = np.column_stack([keys // groups, keys % groups]).astype(np.int32)
        return cls(group_of, sizes, pairs, links.astype(np.int64), network.directed)

    @property
    def possible_links(self) -> NDArray[np.int64]:
        """Return how many links there could be between the groups of each pair."""
        first, second = self.sizes[self.pairs[:, 0]], self.sizes[self.pairs[:, 1]]
        within = first * (first - 1) // (1 if self.directed else 2)
        return np.where(self.pairs[:, 0] == self.pairs[:, 1], within, first * second)

    @property
    def log_worlds(self) -> float:
        """Return the natural logarithm of the number of networks that fit the counts."""
        from scipy.special import gammaln

        room, links = self.possible_links, self.links
        return float((gammaln(room + 1) - gammaln(links + 1) - gammaln(room - links + 1)).sum())


def find_grouping(
    network: Network, k: int, effort: int, generator: np.random.Generator, progress: Progress
) -> Grouping:
    """Start with people of similar friends, then exchange people while possible networks get fewer.

    `effort` is the number of exchanges tried per person. The search ignores directions.
    """
    plain = network.undirected
    order = _order_by_friends(plain, generator)
    chunks = np.array_split(order, max(network.nodes // k, 1))
    group_of = np.empty(network.nodes, np.int32)
    for number, chunk in enumerate(chunks):
        group_of[chunk] = number
    _improve(plain, group_of, len(chunks), effort, generator, progress)
    renamed = generator.permutation(len(chunks)).astype(np.int32)
    return Grouping.of(network, renamed[group_of])


def _order_by_friends(network: Network, generator: np.random.Generator) -> NDArray[np.intp]:
    """Put people with common friends next to each other (A. Broder, min-wise hashing, 1997)."""
    shingles = []
    for _ in range(3):
        rank = generator.permutation(network.nodes).astype(np.int64)
        least = rank.copy()
        np.minimum.at(least, np.repeat(np.arange(network.nodes), network.degrees),
                      rank[network.neighbors])  # fmt: skip
        shingles.append(least)
    return np.lexsort((*shingles[::-1], network.degrees > 0))


def _improve(
    network: Network,
    group_of: Nodes,
    groups: int,
    effort: int,
    generator: np.random.Generator,
    progress: Progress,
) -> None:
    if groups < 2 or not network.edges:
        return
    sizes = np.bincount(group_of, minlength=groups).astype(np.int64)
    members = np.argsort(group_of, kind="stable").astype(np.int32)
    starts = np.append(0, np.cumsum(sizes))[:-1]
    place = np.empty(network.nodes, np.int64)
    place[members] = np.arange(network.nodes)
    keys, counts = _count(network, group_of, groups)
    total = effort * network.nodes
    done = 0
    while done < total:
        progress.report(done, total, "protect", exchanges=done)
        heat = 2.0 * max(1 - 2 * done / total, 0.0)
        chances = generator.random((min(PROPOSALS_AT_ONCE, total - done), 4))
        grouping_kernels.swap_nodes(
            network.offsets, network.neighbors, group_of, keys, counts, sizes, members, starts,
            place, chances, heat,
        )  # fmt: skip
        done += len(chances)
        if (keys != FREE).sum() * 2 > len(keys):
            keys, counts = _count(network, group_of, groups)


def _count(
    network: Network, group_of: Nodes, groups: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count links between groups, with room for those that exchanges will touch."""
    most = int(network.degrees.max(initial=1))
    room = SPARE * (network.edges + PROPOSALS_AT_ONCE * 8 + 4 * most)
    keys = np.full(1 << int(room).bit_length(), FREE, np.int64)
    counts = np.zeros(len(keys), np.int64)
    grouping_kernels.count_group_links(group_of, network.pairs, groups, keys, counts)
    return keys, counts


def sample_network(grouping: Grouping, generator: np.random.Generator) -> NDArray[Any]:
    """Draw links of one of the possible networks, each as likely as any other.

    Returns pairs of nodes, those of group g being the ones with group_of = g.
    """
    members = np.argsort(grouping.group_of, kind="stable")
    starts = np.append(0, np.cumsum(grouping.sizes))
    which, position = _draw_positions(grouping.possible_links, grouping.links, generator)
    first, second = grouping.pairs[which, 0], grouping.pairs[which, 1]
    width = grouping.sizes[second]
    within = first == second
    row, column = position // width, position % width
    if within.any():
        unfold = _unfold_directed if grouping.directed else _unfold
        row[within], column[within] = unfold(position[within], grouping.sizes[first[within]])
    return np.column_stack([members[starts[first] + row], members[starts[second] + column]])


def _draw_positions(
    room: NDArray[np.int64], links: NDArray[np.int64], generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw so many different positions of each room; if most are wanted, draw the others."""
    dense = links * 2 > room
    wanted = np.where(dense, room - links, links)
    which = np.repeat(np.arange(len(room)), wanted)
    offsets = np.append(0, np.cumsum(room))
    keys = np.zeros(0, np.int64)
    missing = which
    while len(missing):
        drawn = offsets[missing] + generator.integers(0, room[missing])
        keys = np.unique(np.concatenate([keys, drawn]))
        short = wanted - np.bincount(_room_of(keys, offsets), minlength=len(room))
        missing = np.repeat(np.arange(len(room)), short)
    if dense.any():
        whole = np.concatenate(
            [np.arange(offsets[i], offsets[i + 1]) for i in np.flatnonzero(dense).tolist()]
        )
        sparse = ~dense[_room_of(keys, offsets)]
        keys = np.concatenate([keys[sparse], np.setdiff1d(whole, keys[~sparse])])
    found = _room_of(keys, offsets)
    return found, keys - offsets[found]


def _room_of(keys: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.asarray(np.searchsorted(offsets, keys, side="right") - 1)


def _unfold_directed(
    position: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return two different members, in order, at each position in the list of all such pairs."""
    row, column = position // (sizes - 1), position % (sizes - 1)
    return row, column + (column >= row)


def _unfold(
    position: NDArray[np.int64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the pair of members at each position in the list of all pairs of a group."""
    row = np.zeros(len(position), np.int64)
    column = np.zeros(len(position), np.int64)
    for size in np.unique(sizes).tolist():
        here = sizes == size
        first, second = np.triu_indices(size, 1)
        row[here], column[here] = first[position[here]], second[position[here]]
    return row, column
