"""The classes of nodes that look alike, for every kind of knowledge."""

import numpy as np

from deid_portal.engine.networks.knowledge.knowledge import Knowledge, partition_nodes
from deid_portal.engine.networks.knowledge.neighborhoods import partition_by_neighborhood
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.network import Network
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column


class NodeClasses:
    """The classes of one network, each kind computed on first use."""

    def __init__(
        self,
        network: Network,
        columns: tuple[Column, ...],
        progress: Progress,
        groups: NodePartition | None = None,
    ) -> None:
        self.network = network
        self._columns = columns
        self._progress = progress
        self._groups = groups
        self._found: dict[Knowledge, NodePartition] = {}
        self._labelled: dict[str, NodePartition] = {}

    def of(self, knowledge: Knowledge) -> NodePartition:
        """Return who is alike; if a release shows groups, always the members of a group."""
        if self._groups is not None:
            if knowledge is Knowledge.ATTRIBUTES and self._columns:
                codes = (column.codes for column in self._columns)
                return NodePartition.by_keys(self._groups.class_of, *codes)
            return self._groups
        if knowledge not in self._found:
            self._found[knowledge] = partition_nodes(
                self.network, knowledge, self._progress, self._columns
            )
        return self._found[knowledge]

    def of_labelled(self, name: str) -> NodePartition:
        """Return whose neighborhoods are alike, a column of everybody in them known as well."""
        if self._groups is not None:
            return self.of(Knowledge.ATTRIBUTES)
        if name not in self._labelled:
            column = next((c for c in self._columns if c.name == name), None)
            codes = np.zeros(self.network.nodes, np.int32) if column is None else column.codes
            around = partition_by_neighborhood(
                self.network, self._progress, codes.astype(np.uint64) + np.uint64(1)
            )
            self._labelled[name] = around.crossed(NodePartition(codes))
        return self._labelled[name]
