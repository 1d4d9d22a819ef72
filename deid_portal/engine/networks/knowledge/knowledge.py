"""What an intruder may know about a person in a network, and which nodes look alike by that.

M. Hay et al., Resisting structural re-identification in anonymized social networks, VLDB 2008, for
degrees and degrees of neighbors; B. Zhou and J. Pei, ICDE 2008, for neighborhoods: the links among
the neighbors of a person, the person left out. Directions of links are known, too: degrees count
links to and from others, a neighbor is known with the direction of the link, and isomorphisms of
neighborhoods keep directions.
"""

from collections.abc import Callable
from enum import StrEnum

import numpy as np

from deid_portal.engine.networks.knowledge import knowledge_kernels
from deid_portal.engine.networks.knowledge.neighborhoods import partition_by_neighborhood
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.network import Network
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column


class Knowledge(StrEnum):
    """What an intruder knows about a person, from little to much."""

    DEGREE = "degree"
    NEIGHBOR_DEGREES = "neighbour-degrees"
    NEIGHBORHOOD = "neighbourhood"
    ATTRIBUTES = "attributes+degree"


WORDS = {
    Knowledge.DEGREE: "how many links the person has",
    Knowledge.NEIGHBOR_DEGREES: "how many links the person and each of the neighbors have",
    Knowledge.NEIGHBORHOOD: "how the person's neighbors are linked among each other",
    Knowledge.ATTRIBUTES: "the person's attributes and how many links the person has",
}


def partition_nodes(
    network: Network,
    knowledge: Knowledge,
    progress: Progress,
    columns: tuple[Column, ...] = (),
) -> NodePartition:
    """Return which nodes look alike to an intruder with this knowledge.

    `columns` are the attributes that could be known, one row per node, as the network shows them.
    """
    return PARTITIONS[knowledge](network, columns, progress)


def partition_by_degree(network: Network) -> NodePartition:
    if network.directed:
        return NodePartition.by_keys(network.degrees, network.in_degrees)
    return NodePartition.by_keys(network.degrees)


def partition_by_neighbor_degrees(network: Network, progress: Progress) -> NodePartition:
    """Group nodes whose neighbors have the same degrees; compared number by number."""
    progress.report(0, 3, "risk", knowledge=Knowledge.NEIGHBOR_DEGREES.value)
    plain = network.undirected
    own = partition_by_degree(network)
    sorted_degrees = own.class_of[plain.neighbors]
    if network.directed:
        sorted_degrees = 4 * sorted_degrees + network.ways
    knowledge_kernels.sort_neighbors(plain.offsets, sorted_degrees)
    salt = np.uint64(0)
    while True:
        progress.report(1, 3, "risk", knowledge=Knowledge.NEIGHBOR_DEGREES.value)
        codes = knowledge_kernels.fold_rows(plain.offsets, sorted_degrees, salt)
        found = NodePartition.by_keys(codes, own.class_of)
        if knowledge_kernels.rows_agree(plain.offsets, sorted_degrees, found.class_of):
            progress.report(3, 3, "risk", knowledge=Knowledge.NEIGHBOR_DEGREES.value)
            return found
        salt += np.uint64(1)  # two different rows had the same hash


def partition_by_attributes(network: Network, columns: tuple[Column, ...]) -> NodePartition:
    own = partition_by_degree(network)
    return NodePartition.by_keys(own.class_of, *(column.codes for column in columns))


Partitioner = Callable[[Network, tuple[Column, ...], Progress], NodePartition]
PARTITIONS: dict[Knowledge, Partitioner] = {
    Knowledge.DEGREE: lambda network, columns, progress: partition_by_degree(network),
    Knowledge.NEIGHBOR_DEGREES: lambda network, columns, progress: partition_by_neighbor_degrees(
        network, progress
    ),
    Knowledge.NEIGHBORHOOD: lambda network, columns, progress: partition_by_neighborhood(
        network, progress
    ),
    Knowledge.ATTRIBUTES: lambda network, columns, progress: partition_by_attributes(
        network, columns
    ),
}
