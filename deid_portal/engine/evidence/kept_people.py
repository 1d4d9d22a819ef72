"""Figures about the release for viewers without row access.

Suppressed records must not enter: a viewer who knows all other people could otherwise compute them
by subtraction.
"""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.report.distributions import ReleasedLabels
from deid_portal.engine.report.left_out import KeptPeople
from deid_portal.engine.report.transformation import LabelCount
from deid_portal.engine.table.table import Codes, Column, Table

MOST_LABELS = 20
SMALLEST_COUNT = 5  # people; labels of fewer are counted together


def count_labels(released: Table, names: Sequence[str]) -> tuple[ReleasedLabels, ...]:
    """Count the records per label of these columns, the most frequent labels first."""
    return tuple(_count(released[name]) for name in names)


def _count(column: Column) -> ReleasedLabels:
    counts = zip(column.values, column.counts.tolist(), strict=True)
    large = [(label, count) for label, count in counts if count >= SMALLEST_COUNT]
    # Ties are ordered by name: the order of codes would reveal the order of the original.
    large.sort(key=lambda own: (-own[1], own[0] is not None, own[0] or ""))
    told = large[:MOST_LABELS]
    others = column.rows - sum(count for _, count in told)
    while told and 0 < others < SMALLEST_COUNT:
        others += told.pop()[1]  # a count of few others would follow by subtraction
    labels = tuple(LabelCount(label, count) for label, count in told)
    return ReleasedLabels(column.name, labels, others)


def measure_kept(pattern_of_row: Codes, rows: Codes) -> KeptPeople:
    """Return the risk of released records on their original values, ignoring suppressed records.

    `pattern_of_row` numbers the class of each original row; `rows` are the original rows of the
    release.
    """
    sizes = np.bincount(pattern_of_row[np.unique(rows)])
    records = int(sizes.sum())
    return KeptPeople(
        records=records,
        average_risk=int((sizes > 0).sum()) / max(records, 1),
        one_of_a_kind=int((sizes == 1).sum()) / max(records, 1),
    )
