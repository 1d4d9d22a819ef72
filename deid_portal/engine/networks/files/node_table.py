"""Ids of two columns as numbers of nodes, and a node table joined by them."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.networks.network import Network, Pairs
from deid_portal.engine.table.table import Column, Table


def number_ids(first: Column, second: Column) -> tuple[tuple[str, ...], Pairs]:
    """Number the ids of both columns together, in order of appearance by column."""
    numbers: dict[str, int] = {}
    ends = []
    for column in (first, second):
        own = [
            numbers.setdefault(text, len(numbers)) if text is not None else -1
            for text in column.values
        ]
        ends.append(np.array(own, np.int32)[column.codes])
    return tuple(numbers), np.column_stack(ends)


def join_table(network: Network, table: Table, id_column: str | None = None) -> Network:
    """Give every node its row of a table; a node the table does not name gets gaps.

    Ids the network does not have become nodes without links. The id column is removed from the
    table: it becomes the labels of the nodes.
    """
    name = table.names[0] if id_column is None else id_column
    if name not in table:
        raise InvalidTable(f'The node table has no column "{name}"; say which holds the ids.')
    ids = table[name]
    _check_ids(ids)
    labels, rows = _match(network.labels or (), ids)
    attributes = Table(tuple(_spread(c, rows) for c in table.columns if c.name != name))
    grown = Network.from_pairs(len(labels), network.pairs, directed=network.directed, labels=labels)
    intake = replace(
        network.intake,
        only_loops=max(network.intake.only_loops - (len(labels) - network.nodes), 0),
        isolated=grown.intake.isolated,
        without_attributes=int((rows < 0).sum()),
    )
    return replace(
        grown,
        table=attributes if attributes.columns else None,
        intake=intake,
        source_sha256=network.source_sha256,
        listed=rows >= 0,
    )


def _check_ids(ids: Column) -> None:
    if ids.missing:
        row = int(np.flatnonzero(ids.codes == ids.gap)[0]) + 2
        raise InvalidTable(f"Row {row} of the node table has no id; give every node one.")
    repeated = np.flatnonzero(ids.counts[ids.codes] > 1)
    if len(repeated):
        raise InvalidTable(
            f"Row {int(repeated[1]) + 2} of the node table has an id that an earlier row has; keep "
            f"one row per node."
        )


def _match(labels: tuple[str, ...], ids: Column) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    """Return the labels, grown by new ids, and the row of the table for each, -1 for none."""
    row_of = {str(ids.values[code]): row for row, code in enumerate(ids.codes.tolist())}
    known = set(labels)
    grown = (*labels, *(text for text in row_of if text not in known))
    return grown, np.array([row_of.get(label, -1) for label in grown], np.int64)


def _spread(column: Column, rows: NDArray[np.int64]) -> Column:
    """Return the column by node; gaps where a node has no row."""
    values = column.values if None in column.values else (*column.values, None)
    codes = np.where(rows < 0, values.index(None), column.codes[rows]).astype(np.int32)
    return Column(column.name, column.type, codes, values, column.decimal)
