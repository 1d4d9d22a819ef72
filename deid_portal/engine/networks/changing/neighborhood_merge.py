"""Making neighborhoods alike by adding links, and labels alike by going up their taxonomy.

After B. Zhou and J. Pei, ICDE 2008: people with large neighborhoods first, each with those whose
neighborhoods are most alike. Within a group every neighborhood gets as many people as the largest,
then every link that one of them has. An added link changes the neighborhoods of others, so rounds
go on until everybody has k look-alikes; they end at the latest when everybody is linked with
everybody. Where links may also be removed, neighborhoods keep what all of them have (in early
rounds, what most have); that ends far sooner, since small neighborhoods are alike by themselves.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.changing import merging_kernels
from deid_portal.engine.networks.changing.growing_rows import close_rows, open_rows
from deid_portal.engine.networks.knowledge.neighborhoods import (
    Surroundings,
    code_neighborhoods,
    settle_codes,
)
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress
from deid_portal.engine.taxonomies import Taxonomy

WORK_AT_ONCE = 2_000_000  # between two reports of progress


class Merging:
    """A network whose neighborhoods become alike, and the level at which each label is shown."""

    def __init__(
        self,
        network: Network,
        k: int,
        generator: np.random.Generator,
        taxonomy: Taxonomy | None = None,
        leaves: NDArray[np.int64] | None = None,
        may_remove: bool = False,
        early_rounds: int = 0,
    ) -> None:
        self.network = network
        self.k = k
        self.rounds = 0
        self._may_remove = may_remove
        self._early_rounds = early_rounds
        self._taxonomy = taxonomy
        self._leaves = np.zeros(network.nodes, np.int64) if leaves is None else leaves
        self.levels = np.zeros(network.nodes, np.int32)
        self._rank = generator.permutation(network.nodes)
        self._codes = np.zeros(network.nodes, np.uint64)
        self._touched = np.ones(network.nodes, np.bool_)

    def run(self, most_rounds: int, most_links: int, progress: Progress) -> NodePartition:
        """Merge until all are alike; return the classes reached."""
        while True:
            alike = self._measure(progress)
            open_nodes = np.flatnonzero(alike.candidates < self.k).astype(np.int32)
            progress.report(
                len(alike.class_of) - len(open_nodes), len(alike.class_of), "protect",
                round=self.rounds,
            )  # fmt: skip
            if not len(open_nodes) or self.rounds >= most_rounds:
                return alike
            if self.network.edges > most_links:
                return alike
            self.rounds += 1
            self._merge_all(open_nodes, alike, progress)

    def _measure(self, progress: Progress) -> NodePartition:
        """Return who is alike; only changed neighborhoods are measured again.

        Neighborhoods that codes alone do not decide are settled once all classes by code have k
        nodes.
        """
        labels = self._shown_labels()
        around = Surroundings.of(self.network, labels)
        changed = np.flatnonzero(self._touched).astype(np.int32)
        self._codes[changed] = code_neighborhoods(around, changed, progress)
        alike = self._crossed(NodePartition.by_keys(self._codes), labels)
        if alike.count_below(self.k):
            return alike
        return self._crossed(settle_codes(around, self._codes, progress), labels)

    def _crossed(self, alike: NodePartition, labels: NDArray[np.uint64] | None) -> NodePartition:
        return alike if labels is None else alike.crossed(NodePartition.by_keys(labels))

    def _shown_labels(self) -> NDArray[np.uint64] | None:
        """Return a number per label shown, 1 or more; labels of different levels differ."""
        if self._taxonomy is None:
            return None
        numbers = np.array(self._taxonomy.nodes)
        return np.asarray(numbers[self.levels, self._leaves] + 1, np.uint64)

    def _merge_all(self, open_nodes: Nodes, alike: NodePartition, progress: Progress) -> None:
        """Merge groups of people who are not alike yet; those with changed surroundings wait."""
        network = self.network
        self._touched[:] = False
        rows = open_rows(network.offsets, network.neighbors)
        scene = self._set_scene()
        members, starts = self._groups(open_nodes, alike, merging_kernels.count_inside(
            rows, open_nodes, scene.place
        ))  # fmt: skip
        by_most = self.rounds <= self._early_rounds
        for first, last in self._pieces(members, starts):
            progress.report(first, len(starts) - 1, "protect", round=self.rounds)
            rows = merging_kernels.merge_groups(
                rows, scene, members, starts[first : last + 1], self._may_remove, by_most
            )
        offsets, neighbors = close_rows(rows)
        self.network = replace(network, offsets=offsets, neighbors=neighbors)

    def _set_scene(self) -> merging_kernels.MergeArrays:
        no_levels = np.zeros((0, 0), np.int32)
        return merging_kernels.MergeArrays(
            rank=self._rank,
            leaves=self._leaves,
            levels=self.levels,
            codes=no_levels if self._taxonomy is None else self._taxonomy.codes,
            touched=self._touched,
            place=np.full(self.network.nodes, -1, np.int32),
            by_degree=np.lexsort((self._rank, self.network.degrees)).astype(np.int32),
            next_candidate=np.zeros(1, np.int64),
        )

    def _groups(
        self, open_nodes: Nodes, alike: NodePartition, links: NDArray[np.int64]
    ) -> tuple[Nodes, NDArray[np.int64]]:
        """Return k people at a time whose neighborhoods are of about the same size, largest first.

        Returns the members of all groups and where each group starts, and the end.
        """
        degrees = self.network.degrees
        near = self._nearness()[open_nodes]
        falling = open_nodes[
            np.lexsort((self._rank[open_nodes], near, -links, -degrees[open_nodes]))
        ]
        if len(falling) < self.k:
            falling = np.concatenate([falling, self._fill(falling, alike)])
        starts = np.arange(0, len(falling) - self.k + 1, self.k)
        return falling, np.append(starts, len(falling))

    def _nearness(self) -> NDArray[np.int64]:
        """Return a number that people with common neighbors often share (min-wise hashing)."""
        least = self._rank.copy()
        starts = np.repeat(np.arange(self.network.nodes), self.network.degrees)
        np.minimum.at(least, starts, self._rank[self.network.neighbors])
        return least

    def _fill(self, falling: Nodes, alike: NodePartition) -> Nodes:
        """Return people to fill up a group, preferably those their own class can spare."""
        distance = np.abs(self.network.degrees - int(self.network.degrees[falling[0]]))
        is_needed = alike.candidates < 2 * self.k
        order = np.lexsort((self._rank, np.where(is_needed, 0, distance), is_needed))
        others = order[~np.isin(order, falling)]
        return others[: self.k - len(falling)].astype(np.int32)

    def _pieces(self, members: Nodes, starts: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Return the first and last group of each piece of limited work."""
        work = np.cumsum(self.network.degrees[members].astype(np.int64) ** 2 + 8)[starts[1:] - 1]
        cuts = np.searchsorted(work, np.arange(WORK_AT_ONCE, int(work[-1]), WORK_AT_ONCE))
        bounds = np.unique(np.concatenate([[0], cuts, [len(starts) - 1]])).tolist()
        return list(pairwise(bounds))
