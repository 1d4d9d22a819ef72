"""Making neighborhoods alike by adding links, and labels alike by going up their taxonomy.

After B. Zhou and J. Pei, ICDE 2008: people with large neighborhoods first, each with those whose
neighborhoods are most alike. Within a group every neighborhood gets as many people as the largest,
then every link that one of them has. A link that is added changes the neighborhoods of others, so
rounds go on until everybody has k look-alikes; there is an end, because at last everybody is linked
with everybody. Where links may also be removed, neighborhoods keep what all of them have (in early
rounds, what most have); that ends far sooner, since small neighborhoods are alike by themselves.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.neighborhoods import partition_by_neighborhood
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.partition import Partition
from deid_portal.engine.progress import Progress
from deid_portal.engine.taxonomies import Taxonomy


class Merging:
    """Links as sets that grow, and the level at which each label is shown."""

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
        self._may_remove = may_remove
        self._early_rounds = early_rounds
        self.k = k
        self.rounds = 0
        self._taxonomy = taxonomy
        self._leaves = leaves
        self.levels = np.zeros(network.nodes, np.int32)
        cuts = network.offsets[1:-1]
        self.friends = [set(row.tolist()) for row in np.split(network.neighbors, cuts)]
        self._rank = generator.permutation(network.nodes)

    def run(self, most_rounds: int, most_links: int, progress: Progress) -> Partition:
        """Merge until all are alike; return the classes reached."""
        while True:
            alike = self.measure(progress)
            open_nodes = np.flatnonzero(alike.candidates < self.k)
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
            pairs = [(a, b) for a, row in enumerate(self.friends) for b in row if a < b]
            self.network = self.network.with_pairs(np.array(pairs, np.int64).reshape(-1, 2))

    def measure(self, progress: Progress) -> Partition:
        labels = self.shown_labels()
        if labels is None:
            return partition_by_neighborhood(self.network, progress)
        around = partition_by_neighborhood(self.network, progress, labels.astype(np.uint64))
        return around.crossed(Partition.by_keys(labels))

    def shown_labels(self) -> NDArray[np.int64] | None:
        """Return a number per label shown, 1 or more; labels of different levels differ."""
        if self._taxonomy is None or self._leaves is None:
            return None
        numbers = np.array(self._taxonomy.nodes)
        return np.asarray(numbers[self.levels, self._leaves] + 1, np.int64)

    def _merge_all(
        self, open_nodes: NDArray[np.intp], alike: Partition, progress: Progress
    ) -> None:
        """Merge groups of people who are not alike yet; whose surroundings changed waits."""
        touched: set[int] = set()
        for group in self._groups(open_nodes, alike):
            progress.report(0, 1, "protect", round=self.rounds)
            if any(node in touched for node in group):
                continue
            touched |= self._merge(group)

    def _groups(self, open_nodes: NDArray[np.intp], alike: Partition) -> Iterator[list[int]]:
        """Give k people at a time whose neighborhoods are of about the same size."""
        sizes = {int(node): self._size(int(node)) for node in open_nodes}
        falling = sorted(sizes, key=lambda node: (sizes[node], -self._rank[node]), reverse=True)
        while len(falling) >= 2 * self.k or len(falling) == self.k:
            yield falling[: self.k]
            falling = falling[self.k :]
        if not falling:
            return
        if len(falling) >= self.k:
            yield falling
            return
        spare = np.flatnonzero(alike.candidates >= 2 * self.k)
        nearest = sorted(
            spare.tolist(),
            key=lambda node: (
                abs(len(self.friends[node]) - sizes[falling[0]][0]),
                self._rank[node],
            ),
        )
        fill = nearest[: self.k - len(falling)]
        if len(fill) + len(falling) < self.k:
            others = set(range(self.network.nodes)) - {*falling, *fill}
            fill += sorted(others, key=lambda n: self._rank[n])[: self.k - len(falling) - len(fill)]
        yield falling + fill

    def _size(self, node: int) -> tuple[int, int]:
        around = self.friends[node]
        return len(around), sum(len(self.friends[other] & around) for other in around) // 2

    def _merge(self, group: Sequence[int]) -> set[int]:
        """Give all of a group the same neighborhood; return whose neighborhoods changed."""
        changed: set[int] = set()
        sizes = sorted(len(self.friends[node]) for node in group)
        most = sizes[-1]
        if self._may_remove:
            most = sizes[(len(sizes) - 1) // 2] if self._is_early else sizes[0]
        for node in group:
            changed |= self._cut_down(node, most)
            changed |= self._fill_up(node, most, group)
        if any(len(self.friends[node]) != most for node in group):
            return changed | set(group)  # members became friends of each other; next round
        lines = [self._line_up(node) for node in group]
        changed |= self._share_labels([list(group), *map(list, zip(*lines, strict=True))])
        votes = Counter(pair for line in lines for pair in self._links_in(line))
        needed = self._votes_needed(len(group))
        for line in lines:
            for (i, j), found in votes.items():
                if found >= needed:
                    changed |= self._link(line[i], line[j])
                else:
                    changed |= self._unlink(line[i], line[j])
        return changed | set(group)

    @property
    def _is_early(self) -> bool:
        return self.rounds <= self._early_rounds

    def _votes_needed(self, people: int) -> int:
        """Return in how many neighborhoods a link must be for all to get it."""
        if not self._may_remove:
            return 1
        return people // 2 + 1 if self._is_early else people

    def _links_in(self, line: Sequence[int]) -> Iterator[tuple[int, int]]:
        place = {node: index for index, node in enumerate(line)}
        for index, node in enumerate(line):
            for other in self.friends[node] & place.keys():
                if place[other] > index:
                    yield index, place[other]

    def _cut_down(self, node: int, size: int) -> set[int]:
        """Take links from somebody: those to friends who know fewest of the others first."""
        changed: set[int] = set()
        for other in self._line_up(node)[size:]:
            changed |= self._unlink(node, other)
        return changed

    def _unlink(self, one: int, other: int) -> set[int]:
        if other not in self.friends[one]:
            return set()
        self.friends[one].remove(other)
        self.friends[other].remove(one)
        return {one, other} | (self.friends[one] & self.friends[other])

    def _fill_up(self, node: int, size: int, group: Sequence[int]) -> set[int]:
        """Link somebody with people of few links, who are strangers to all their friends."""
        changed: set[int] = set()
        missing = size - len(self.friends[node])
        if missing <= 0:
            return changed
        degrees = np.array([len(row) for row in self.friends])
        avoided = {node, *group}
        for other in np.lexsort((self._rank, degrees)).tolist():
            if missing == 0:
                break
            if other in avoided or other in self.friends[node]:
                continue
            if self.friends[other] & self.friends[node]:
                continue
            changed |= self._link(node, other)
            missing -= 1
        for other in np.lexsort((self._rank, degrees)).tolist():
            if missing == 0:
                break
            if other != node and other not in self.friends[node]:
                changed |= self._link(node, other)
                missing -= 1
        return changed

    def _line_up(self, node: int) -> list[int]:
        """Put the people around somebody in an order: most links among them first."""
        around = self.friends[node]
        inside = {other: self.friends[other] & around for other in around}

        def key(other: int) -> tuple[int, list[int], int, int]:
            own = sorted((len(inside[third]) for third in inside[other]), reverse=True)
            return len(inside[other]), own, self._label_of(other), -int(self._rank[other])

        return sorted(around, key=key, reverse=True)

    def _label_of(self, node: int) -> int:
        return 0 if self._leaves is None else int(self._leaves[node])

    def _share_labels(self, positions: Sequence[Sequence[int]]) -> set[int]:
        """Show people in the same place of each neighborhood by the same label."""
        if self._taxonomy is None or self._leaves is None:
            return set()
        changed: set[int] = set()
        for place in positions:
            nodes = np.array(place)
            level = int(self.levels[nodes].max())
            while len(set(self._taxonomy.codes[level][self._leaves[nodes]].tolist())) > 1:
                level += 1
            for node in nodes[self.levels[nodes] != level].tolist():
                changed |= {node, *self.friends[node]}
            self.levels[nodes] = level
        return changed

    def _link(self, one: int, other: int) -> set[int]:
        if one == other or other in self.friends[one]:
            return set()
        self.friends[one].add(other)
        self.friends[other].add(one)
        return {one, other} | (self.friends[one] & self.friends[other])
