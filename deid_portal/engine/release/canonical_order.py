"""Sorting a table by its content alone.

Methods that form groups break ties in favor of the first row. If that were the first row of the
input, the release would reveal something about the order of the input.
"""

import numpy as np

from deid_portal.engine.release.released_table import sorted_order
from deid_portal.engine.table.table import Codes, Column, Table


def sort_by_content(table: Table) -> tuple[Table, Codes]:
    """Return the table with rows and dictionaries sorted, and the original row of each row."""
    columns = [_sort_dictionary(column) for column in table.columns]
    order = sorted_order(columns, table.rows, lambda: None)
    arranged = tuple(column.take(order) for column in columns)
    return Table(arranged, table.sha256), order.astype(np.int32)


def _sort_dictionary(column: Column) -> Column:
    """Return the column with its values sorted and unused values dropped."""
    used = np.flatnonzero(column.counts)
    order = np.array(sorted(used.tolist(), key=column.sort_key), np.int32)
    numbers = np.zeros(len(column.values), np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    values = tuple(column.values[code] for code in order)
    return Column(column.name, column.type, numbers[column.codes], values, column.decimal)
