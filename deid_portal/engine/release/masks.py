"""Masks: the column stays for programs that expect it, with the same text in every cell.

Missing cells are masked, too: a mask that kept a first letter, the last digits, a length or a gap
would distinguish people by a column that no model considers.
"""

import numpy as np

from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType

MASK = "*****"


def mask(column: Column) -> Column:
    """Return the column with the same sign in every row."""
    return Column(column.name, ColumnType.TEXT, np.zeros(len(column.codes), np.int32), (MASK,))
