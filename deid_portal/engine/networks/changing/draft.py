"""The state of a network between methods."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.table.table import Table
from deid_portal.engine.taxonomies import Taxonomy

NOBODY = -1


@dataclass(frozen=True, eq=False)
class NetworkDraft:
    """The original network and the present one, with notes for the report.

    `groups` is the group of each node, if the release shows groups instead of nodes. `rows` is the
    original node behind each node, NOBODY for made-up ones. `tables` leave beside the network.
    """

    original: Network
    network: Network
    rows: Nodes
    taxonomies: Mapping[str, Taxonomy] = field(default_factory=dict)  # of the quasi-identifiers
    weights: Mapping[str, float] = field(default_factory=dict)
    lost: Mapping[str, float] = field(default_factory=dict)  # detail of attributes, 0..1
    groups: NodePartition | None = None
    steps: tuple[Mapping[str, Any], ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # sentences for the report

    @classmethod
    def start(
        cls, network: Network, taxonomies: Mapping[str, Taxonomy], weights: Mapping[str, float]
    ) -> "NetworkDraft":
        rows = np.arange(network.nodes, dtype=np.int32)
        return cls(network, network, rows, taxonomies, weights)

    def with_network(self, network: Network) -> "NetworkDraft":
        return replace(self, network=network, groups=None)

    def noting(self, **step: Any) -> "NetworkDraft":
        """Return the draft with one more line in the report about what was done."""
        return replace(self, steps=(*self.steps, step))

    @property
    def is_about_people(self) -> bool:
        """Say whether every node stands for a person, so that links can be compared."""
        return bool(len(self.rows)) and int(self.rows.min()) != NOBODY
