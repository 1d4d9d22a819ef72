"""Data frames of pandas into networks and back."""

from typing import TYPE_CHECKING

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.networks.files.link_table import link_nodes
from deid_portal.engine.networks.files.node_table import join_table
from deid_portal.engine.networks.files.writer import edges_table, nodes_table
from deid_portal.engine.networks.network import Network
from deid_portal.engine.table.table import Table

if TYPE_CHECKING:
    from pandas import DataFrame


def network_from_pandas(
    links: "DataFrame",
    nodes: "DataFrame | None" = None,
    *,
    directed: bool = False,
    id_column: str | None = None,
) -> Network:
    """Make a network of a frame with the two ids of a link in its first two columns.

    `nodes` has a row per node, with its id in the first column or the one that is named.
    """
    table = Table.from_pandas(links)
    if len(table.columns) < 2:
        raise InvalidTable("A frame of links needs two columns, for the two ends of a link.")
    network = link_nodes(table, directed=directed, first_row=1)
    if nodes is not None:
        network = join_table(network, Table.from_pandas(nodes), id_column)
    if not network.nodes:
        raise InvalidTable("The frame has no link between two different nodes.")
    return network


def links_to_pandas(network: Network) -> "DataFrame":
    """Return a row per link with its "source" and "target", nodes numbered from 1."""
    return edges_table(network).to_pandas()


def nodes_to_pandas(network: Network) -> "DataFrame":
    """Return a row per node with its number and its attributes."""
    return nodes_table(network).to_pandas()
