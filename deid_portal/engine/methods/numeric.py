"""Columns of numbers, as the methods need them that compute with cells."""

import numpy as np

from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.numbers import Numbers, check_squares, numbers_of
from deid_portal.engine.table.table import Column


def numbers_per_value(draft: TableDraft, name: str) -> Numbers:
    """Return the number of each value of a column, NaN for the gap; refuse other values."""
    return numbers_or_refuse(draft.table[name])


def numbers_or_refuse(column: Column) -> Numbers:
    """Return the number of each value, NaN for the gap; refuse values that are none."""
    numbers = numbers_of(column)
    strangers = np.isnan(numbers) & (column.counts > 0)
    if column.gap is not None:
        strangers[column.gap] = False
    if strangers.any():
        raise InvalidPlan(
            f'method.columns: {int(strangers.sum())} values of the column "{column.name}" are no '
            f"numbers when this method comes to them; choose another column or put the method "
            f"before those that make the column coarser."
        )
    return numbers


def numbers_per_row(draft: TableDraft, name: str) -> Numbers:
    """Return the number of each kept row, NaN for a gap; refuse a column of other values."""
    numbers = numbers_per_value(draft, name)
    check_squares(draft.table[name], numbers)
    return numbers[draft.table[name].codes]
