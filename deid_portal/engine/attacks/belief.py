"""Beliefs about a sensitive value that follow from a released class."""

from collections.abc import Collection, Mapping

import numpy as np

from deid_portal.engine.table.table import Counts, Table


def count_sensitive_values(
    table: Table,
    known: Mapping[str, str | None],
    sensitive: str,
    exclude: Collection[str | None] = (),
) -> Counts:
    """Count the sensitive values of the records that show these labels, one count per code.

    `exclude` are values the attacker can rule out for the person.
    """
    fits = np.ones(table.rows, np.bool_)
    for name, label in known.items():
        column = table[name]
        code = column.values.index(label) if label in column.values else -1
        fits &= column.codes == code
    column = table[sensitive]
    counts = np.bincount(column.codes[fits], minlength=len(column.values)).astype(np.int64)
    for text in exclude:
        if text in column.values:
            counts[column.values.index(text)] = 0
    return counts
