"""What reading makes of a network: count its links and nodes, and who could be recognized."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.reading import (
    ReadColumns,
    ReadingFindings,
    ReadSubject,
    store_columns,
)
from deid_portal.datasets.subjects import SubjectKind
from deid_portal.engine import Table
from deid_portal.engine.networks import Network as LinkedNodes
from deid_portal.engine.networks.attacks.walk import tell_walk
from deid_portal.engine.networks.knowledge.knowledge import Knowledge
from deid_portal.engine.networks.knowledge.node_classes import NodeClasses
from deid_portal.engine.networks.knowledge.risk import describe_knowledge
from deid_portal.engine.networks.structure.drift import compare_networks
from deid_portal.engine.networks.structure.layout import lay_out_network
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.networks.selectors import open_network
from deid_portal.policies.selectors import policy_in_force
from deid_portal.work.leases import Lease

NO_COLUMNS = Table(())


@dataclass(frozen=True)
class NetworkFindings(ReadingFindings):
    network: LinkedNodes
    risk: dict[str, Any]
    shape: dict[str, Any]
    drawing: dict[str, Any]
    story: list[str]
    drift: dict[str, Any]
    columns: ReadColumns | None  # of the node table

    @property
    def table(self) -> Table:
        return self.columns.table if self.columns else NO_COLUMNS

    @property
    def rows(self) -> int:
        return self.network.nodes

    @property
    def facts(self) -> dict[str, Any]:
        intake = self.network.intake.to_document()
        return {"nodes": self.network.nodes, "links": self.network.edges, **intake}

    @property
    def size_words(self) -> str:
        return f"{self.network.nodes:,} nodes, {self.network.edges:,} links"

    def write_to(self, dataset: Dataset) -> None:
        if self.columns is not None:
            self.columns.write_to(dataset)
        own, network = dataset.network, self.network
        own.is_directed = network.directed  # GraphML files state it
        own.links, own.intake = network.edges, network.intake.to_document()
        own.notes, own.risk = network.intake.notes(), self.risk
        own.drawing, own.story, own.shape = self.drawing, self.story, self.shape
        own.drift = self.drift
        own.save()


class ReadNetwork(ReadSubject, kind=SubjectKind.NETWORK):
    read_event, not_read_event = "network.read", "network.not_read"
    workers_died = (
        "The worker broke off each time it tried to read this network. Where the machine was not "
        "switched off, the network may be too large for it."
    )
    no_room = (
        "There was no room left to store what was found. The upload is kept. "
        "Ask the administrator to make room, then try again."
    )
    unexpected = "The network could not be read because of a fault in the portal. Try again."

    @property
    def not_read_words(self) -> str:
        return f"The network {self.dataset} could not be read."

    def read(self, lease: Lease[Any]) -> NetworkFindings:
        """Read, count links and nodes and who could be recognized, and draw."""
        network = open_network(self.dataset, lease.progress)
        risk, shape = _count_look_alikes(self.dataset, network, Progress(lease.progress))
        lease.progress(0, 1, "draw")
        return NetworkFindings(
            network,
            risk,
            shape,
            drawing=lay_out_network(network).drawing.to_document(),
            story=list(tell_walk(network).words),
            drift=_compare_with_the_version_before(self.dataset, network, lease.progress),
            columns=_store_node_table(lease, self.dataset, network),
        )


def _store_node_table(
    lease: Lease[Any], dataset: Dataset, network: LinkedNodes
) -> ReadColumns | None:
    return None if network.table is None else store_columns(lease, dataset, network.table)


def _compare_with_the_version_before(
    dataset: Dataset, network: LinkedNodes, progress: ProgressCallback
) -> dict[str, Any]:
    """Open the previous version and compare; empty if there is none or it was deleted."""
    before = dataset.previous
    if before is None or before.is_forgotten:
        return {}
    progress(0, 1, "compare")
    return compare_networks(open_network(before), network).to_document()


def _count_look_alikes(
    dataset: Dataset, network: LinkedNodes, progress: Progress
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return how identifiable people are by knowledge of links, and the underlying counts."""
    least_k = max(policy_in_force(dataset.team).rules.least_k, 2)
    alike = NodeClasses(network, (), progress)
    known = [own for own in Knowledge if own is not Knowledge.ATTRIBUTES]
    risk = {own.value: describe_knowledge(alike.of(own), least_k).to_document() for own in known}
    sizes = {own.value: _counted(alike.of(own).sizes) for own in known}
    shape: dict[str, Any] = {"degrees": _counted(network.undirected.degrees), "sizes": sizes}
    if network.directed:
        both = np.column_stack([network.degrees, network.in_degrees])
        pairs, counts = np.unique(both, axis=0, return_counts=True)
        shape["degree_pairs"] = np.column_stack([pairs, counts]).astype(int).tolist()
    return risk, shape


def _counted(numbers: NDArray[Any]) -> list[list[int]]:
    """Return pairs of each number and how often it occurs."""
    values, counts = np.unique(numbers, return_counts=True)
    counted: list[list[int]] = np.column_stack([values, counts]).astype(int).tolist()
    return counted
