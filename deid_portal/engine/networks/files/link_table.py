"""A table with one link per row as a network."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.networks.files.node_table import number_ids
from deid_portal.engine.networks.network import Intake, Network
from deid_portal.engine.table.table import Table


def link_nodes(table: Table, *, directed: bool, first_row: int) -> Network:
    """Link the ids of the first two columns; `first_row` is what messages call the first row."""
    first, second = table.columns[:2]
    for column in (first, second):
        if column.missing:
            row = int(np.flatnonzero(column.codes == column.gap)[0]) + first_row
            raise InvalidTable(f"Row {row} names only one node; two are needed for a link.")
    labels, pairs = number_ids(first, second)
    used = np.zeros(len(labels), np.bool_)
    used[pairs[pairs[:, 0] != pairs[:, 1]].reshape(-1)] = True
    only_loops = len(labels) - int(used.sum())
    intake = Intake(only_loops=only_loops, extra_columns=len(table.columns) - 2)
    network = Network.from_pairs(
        len(labels), pairs, directed=directed, labels=labels, intake=intake
    )
    return _without(network, used) if only_loops else network


def _without(network: Network, used: NDArray[np.bool_]) -> Network:
    """Leave out nodes that only occur in loops; a node table may add them again."""
    place = np.cumsum(used) - 1
    labels = tuple(np.array(network.labels, dtype=object)[used])
    intake = network.intake
    kept = Network.from_pairs(
        len(labels), place[network.pairs], directed=network.directed, labels=labels
    )
    return replace(kept, intake=replace(intake, isolated=kept.intake.isolated))
