"""Attributes generalized as far as each group of people with equal degree needs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.change_estimate import ChangeEstimate, CountedNetwork
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.knowledge.knowledge import partition_by_degree
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.methods.method import NetworkMethod
from deid_portal.engine.networks.models.model import LOOK_ALIKES
from deid_portal.engine.networks.network import Network
from deid_portal.engine.parameters import Declared
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Taxonomy

MOST_COMBINATIONS = 20_000


@dataclass(frozen=True)
class Attributes(NetworkMethod):
    """Within people of equal degree, quasi-identifiers go up their taxonomies until k are alike.

    Every degree gets the levels that lose least; a degree that fewer than k people have cannot be
    helped here, so alone it withstands nobody: a method that makes degrees alike goes before.
    """

    k: int

    name: ClassVar[str] = "attributes"
    title: ClassVar[str] = "Coarser attributes"
    words: ClassVar[str] = "Makes what is known of people coarser, and leaves the links."
    cites: ClassVar[str] = (
        "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002, within people"
        " of equal degree."
    )
    takes_directed: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (LOOK_ALIKES,)

    def explain(self) -> str:
        return (
            f"Among people with equally many links, attributes are shown as coarsely as needed for "
            f"{self.k} of them to look alike."
        )

    def check_network(self, place: Place, network: Network) -> None:
        super().check_network(place, network)
        if network.table is None or not network.table.columns:
            place.refuse("the network has no node table; leave this method out.")

    def estimate_changes(self, counted: CountedNetwork) -> ChangeEstimate:
        return ChangeEstimate(0, 0, "links stay as they are")

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        table = draft.network.table
        names = [name for name in draft.taxonomies if table is not None and name in table]
        if table is None or not names:
            return draft.noting(method=self.name, k=self.k)
        taxonomies = {name: draft.taxonomies[name] for name in names}
        codes = {name: leaf_codes(table[name], taxonomies[name]) for name in names}
        chosen = self._choose(draft, taxonomies, codes, progress)
        columns = [
            show_levels(c, taxonomies[c.name], codes[c.name], chosen[c.name])
            if c.name in names
            else c
            for c in table.columns
        ]
        lost = {name: lost_share(taxonomies[name], codes[name], chosen[name]) for name in names}
        shown = replace(draft.network, table=Table(tuple(columns)))
        step = {"method": self.name, "k": self.k, "lost": lost}
        return replace(draft, network=shown, lost={**draft.lost, **lost}).noting(**step)

    def _choose(
        self,
        draft: NetworkDraft,
        taxonomies: Mapping[str, Taxonomy],
        codes: Mapping[str, NDArray[Any]],
        progress: Progress,
    ) -> dict[str, NDArray[np.int32]]:
        """Return the level of every column for every node."""
        groups = draft.groups or partition_by_degree(draft.network)
        by_group = np.argsort(groups.class_of, kind="stable")
        starts = np.append(0, np.cumsum(groups.sizes))
        levels = {name: np.zeros(draft.network.nodes, np.int32) for name in taxonomies}
        for group in range(len(groups.sizes)):
            progress.report(group, len(groups.sizes), "protect", method=self.name)
            members = by_group[starts[group] : starts[group + 1]]
            best = self._best_levels(members, taxonomies, codes, draft.weights)
            for name, level in zip(taxonomies, best, strict=True):
                levels[name][members] = level
        return levels

    def _best_levels(
        self,
        members: NDArray[Any],
        taxonomies: Mapping[str, Taxonomy],
        codes: Mapping[str, NDArray[Any]],
        weights: Mapping[str, float],
    ) -> tuple[int, ...]:
        shares = {
            name: [float(t.lost_share(level)[codes[name][members]].mean()) for level in _levels(t)]
            for name, t in taxonomies.items()
        }

        def loss(levels: tuple[int, ...]) -> float:
            pairs = zip(taxonomies, levels, strict=True)
            return sum(weights.get(name, 1.0) * shares[name][level] for name, level in pairs)

        for levels in sorted(_combinations(taxonomies), key=lambda own: (loss(own), sum(own), own)):
            shown = [
                t.codes[level][codes[name][members]]
                for (name, t), level in zip(taxonomies.items(), levels, strict=True)
            ]
            if int(NodePartition.by_keys(*shown).sizes.min()) >= self.k:
                return levels
        return tuple(t.height for t in taxonomies.values())


def _levels(taxonomy: Taxonomy) -> range:
    return range(taxonomy.height + 1)


def _combinations(taxonomies: Mapping[str, Taxonomy]) -> Iterator[tuple[int, ...]]:
    """Give every combination of levels, or where there are too many, those of equal share."""
    heights = [t.height for t in taxonomies.values()]
    if np.prod([height + 1.0 for height in heights]) <= MOST_COMBINATIONS:
        return product(*(range(height + 1) for height in heights))
    top = max(heights)
    return (tuple(min(level, height) for height in heights) for level in range(top + 1))


def leaf_codes(column: Column, taxonomy: Taxonomy) -> NDArray[Any]:
    """Return the leaf of each node; the column may be changed since the taxonomy was built."""
    leaf_of = {label: leaf for leaf, label in enumerate(taxonomy.labels[0])}
    return np.array([leaf_of[value] for value in column.values], np.int64)[column.codes]


def show_levels(
    column: Column, taxonomy: Taxonomy, leaves: NDArray[Any], levels: NDArray[np.int32]
) -> Column:
    labels: dict[str | None, int] = {}
    codes = np.zeros(len(leaves), np.int32)
    for level in np.unique(levels).tolist():
        own = np.array(
            [labels.setdefault(t, len(labels)) for t in taxonomy.labels[level]], np.int32
        )
        here = levels == level
        codes[here] = own[taxonomy.codes[level][leaves[here]]]
    kind = column.type if not levels.any() else ColumnType.TEXT
    return Column(column.name, kind, codes, tuple(labels), column.decimal)


def lost_share(taxonomy: Taxonomy, leaves: NDArray[Any], levels: NDArray[np.int32]) -> float:
    shares = np.array([taxonomy.lost_share(level) for level in _levels(taxonomy)])
    return float(shares[levels, leaves].mean()) if len(leaves) else 0.0
