"""k-neighborhood: links added until everybody's neighborhood looks like k - 1 others."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.changing.neighborhood_merge import Merging
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.methods.attributes import leaf_codes, lost_share, show_levels
from deid_portal.engine.networks.methods.method import NetworkMethod, Variant
from deid_portal.engine.networks.models.model import LOOK_ALIKES
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.structure.comparison import compare_links
from deid_portal.engine.parameters import Choice, ColumnName, Declared
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Table

MOST_ROUNDS = 400
MOST_GROWTH = 20  # times the original links; more would leave nothing of the network
SMALL = 200
MOST_TRIED = 20_000  # nodes, in all attempts together
MOST_ATTEMPTS = 40
EARLY_ROUNDS = (0, 1, 8)
GAVE_UP = (
    f"Adding links alone came to more than {MOST_GROWTH} times as many as there were; say "
    f'"changes": "additions-deletions", or choose groups.'
)


@dataclass(frozen=True)
class KNeighborhoodRelease(NetworkMethod):
    """Links are changed until everybody's neighborhood is isomorphic to those of k - 1 others.

    The paper only adds links. Here links are removed as well unless the plan says otherwise: each
    added link changes the neighborhoods of all common neighbors, so in clustered networks additions
    cause further additions until little of the network is left.

    With a label, people in the same place must also show the same one, so labels go up their
    taxonomy, each person's as far as needed.
    """

    k: int
    changes: str = "additions-deletions"
    label: str | None = None

    name: ClassVar[str] = "k-neighbourhood"
    title: ClassVar[str] = "Equal neighborhoods"
    words: ClassVar[str] = "Changes links until everybody’s surroundings look like those of others."
    cites: ClassVar[str] = (
        "B. Zhou and J. Pei, Preserving privacy in social networks against neighborhood attacks, "
        "ICDE 2008."
    )
    parameters: ClassVar[tuple[Declared, ...]] = (
        LOOK_ALIKES,
        Choice("changes", ("additions-deletions", "additions")),
        ColumnName("label", optional=True),
    )
    largest: ClassVar[int | None] = 1_000_000
    instead: ClassVar[str] = "Make everybody’s surroundings alike"
    # Whose neighbors are linked alike has as many of them.
    withstands: ClassVar[tuple[Knowledge, ...]] = (
        Knowledge.DEGREE,
        Knowledge.NEIGHBORHOOD,
        Knowledge.ATTRIBUTES,
    )
    needs_after: ClassVar[Mapping[Knowledge, str]] = {Knowledge.ATTRIBUTES: "attributes"}
    gain: ClassVar[str] = "It makes the surroundings of every person equal to those of others."
    variants: ClassVar[tuple[Variant, ...]] = (Variant("neighborhoods", "Equal neighborhoods", {}),)
    usual_seconds: ClassVar[tuple[float, float]] = (1.0, 120.0)

    def explain(self) -> str:
        how = "added and removed" if self.may_remove else "added"
        return (
            f"Links are {how} until the people around everybody are linked among each other like "
            f"those around at least {self.k - 1} others."
        )

    def check_network(self, place: Place, network: Network) -> None:
        super().check_network(place, network)
        if self.label is not None and (network.table is None or self.label not in network.table):
            place["label"].refuse("the network has no node table with this column.")

    def apply(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> NetworkDraft:
        merging, alike = self._find(draft, generator, progress)
        step: dict[str, Any] = {
            "method": self.name,
            "k": self.k,
            "changes": self.changes,
            "rounds": merging.rounds,
            "left": alike.count_below(self.k),
        }
        if self.label is not None:
            step["label"] = self.label
        changed = replace(draft, network=self._finish(draft, merging), groups=None)
        if step["left"] and not self.may_remove:
            changed = replace(changed, notes=(*changed.notes, GAVE_UP))
        if self.label is not None:
            changed = self._describe_label(changed, draft, merging)
        return changed.noting(**step)

    def _find(
        self, draft: NetworkDraft, generator: np.random.Generator, progress: Progress
    ) -> tuple[Merging, NodePartition]:
        """Try several times if that is quick; return the attempt with fewest open nodes."""
        most = MOST_ATTEMPTS if self.may_remove else len(EARLY_ROUNDS)
        attempts = min(max(MOST_TRIED // draft.network.nodes, 1), most)
        most_links = max(MOST_GROWTH * draft.network.edges, SMALL * SMALL)
        found = []
        for attempt in range(attempts):
            merging = self._start(draft, generator, EARLY_ROUNDS[attempt % len(EARLY_ROUNDS)])
            alike = merging.run(MOST_ROUNDS, most_links, progress)
            loss = compare_links(draft.network, merging.network).loss + float(merging.levels.mean())
            rank = (alike.count_below(self.k), loss)
            found.append((rank, merging, alike))
            if rank[0]:
                break  # other attempts would not succeed within the limits either
        _, best, alike = min(found, key=lambda entry: entry[0])
        return best, alike

    def _start(self, draft: NetworkDraft, generator: np.random.Generator, early: int) -> Merging:
        if self.label is None or draft.network.table is None:
            return Merging(
                draft.network,
                self.k,
                generator,
                may_remove=self.may_remove,
                early_rounds=early,
            )
        taxonomy = draft.taxonomies[self.label]
        leaves = leaf_codes(draft.network.table[self.label], taxonomy)
        return Merging(draft.network, self.k, generator, taxonomy, leaves, self.may_remove, early)

    @property
    def may_remove(self) -> bool:
        return self.changes == "additions-deletions"

    def _finish(self, draft: NetworkDraft, merging: Merging) -> Network:
        table = draft.network.table
        if self.label is None or table is None:
            return replace(merging.network, table=table)
        taxonomy = draft.taxonomies[self.label]
        leaves = leaf_codes(table[self.label], taxonomy)
        columns = tuple(
            show_levels(c, taxonomy, leaves, merging.levels) if c.name == self.label else c
            for c in table.columns
        )
        return replace(merging.network, table=Table(columns))

    def _describe_label(
        self, changed: NetworkDraft, draft: NetworkDraft, merging: Merging
    ) -> NetworkDraft:
        if self.label is None or draft.network.table is None:
            return changed
        taxonomy = draft.taxonomies[self.label]
        leaves = leaf_codes(draft.network.table[self.label], taxonomy)
        lost = {self.label: lost_share(taxonomy, leaves, merging.levels)}
        return replace(changed, lost={**draft.lost, **lost})
