"""Writing released networks. Nodes are numbered from 1; ids of the input do not occur here."""

from typing import BinaryIO

import numpy as np

from deid_portal.engine.files.csv.writer import write_csv
from deid_portal.engine.networks.files.graphml import write_graphml
from deid_portal.engine.networks.network import Network
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType


def write_edges(network: Network, stream: BinaryIO, delimiter: str = ",") -> None:
    """Write one link per line, "source" and "target" in the first."""
    write_csv(edges_table(network), stream, delimiter)


def write_nodes(network: Network, stream: BinaryIO, delimiter: str = ",") -> None:
    """Write one node per line: its number and its attributes."""
    write_csv(nodes_table(network), stream, delimiter)


def write_network_graphml(network: Network, stream: BinaryIO) -> None:
    for piece in write_graphml(network):
        stream.write(piece)


def edges_table(network: Network) -> Table:
    numbers = tuple(map(str, range(1, network.nodes + 1)))
    return Table(
        tuple(
            Column(name, ColumnType.INTEGER, network.pairs[:, end], numbers)
            for end, name in enumerate(("source", "target"))
        )
    )


def nodes_table(network: Network) -> Table:
    """Return the node table of a release, with the number of links of each node."""
    columns = network.table.columns if network.table is not None else ()
    name = "node" if "node" not in {c.name for c in columns} else "node number"
    numbers = tuple(map(str, range(1, network.nodes + 1)))
    codes = np.arange(network.nodes, dtype=np.int32)
    return Table((Column(name, ColumnType.INTEGER, codes, numbers), *columns))
