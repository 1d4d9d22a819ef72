"""A table in an order that its content alone decides.

Methods that divide people break ties by whoever comes first. The order of the input must not be
what decides it: a release would then tell something about that order.
"""

import numpy as np

from deid_portal.engine.release.released_table import sorted_order
from deid_portal.engine.table.table import Codes, Column, Table


def arrange(table: Table) -> tuple[Table, Codes]:
    """Return the table with rows and dictionaries sorted, and the original row of each row."""
    columns = [_sort_dictionary(column) for column in table.columns]
    order = sorted_order(columns, table.rows, lambda: None)
    arranged = tuple(column.take(order) for column in columns)
    return Table(arranged, table.sha256), order.astype(np.int32)


def _sort_dictionary(column: Column) -> Column:
    """Return the column with its values in order; those nobody has go."""
    used = np.flatnonzero(column.counts)
    order = np.array(sorted(used.tolist(), key=column.sort_key), np.int32)
    numbers = np.zeros(len(column.values), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    values = tuple(column.values[code] for code in order)
    return Column(column.name, column.type, numbers[column.codes], values, column.decimal)
