"""What is told of the people of a release to those of the house who see no rows.

People left out have no part in it: whoever knows everybody else could otherwise find them in it by
subtraction.
"""

from collections.abc import Sequence

import numpy as np

from deid_portal.engine.report.distributions import ReleasedLabels
from deid_portal.engine.report.left_out import KeptPeople
from deid_portal.engine.report.transformation import LabelCount
from deid_portal.engine.table.table import Codes, Column, Table

MOST_LABELS = 20
SMALLEST_COUNT = 5  # people; labels of fewer are told together


def count_labels(released: Table, names: Sequence[str]) -> tuple[ReleasedLabels, ...]:
    """Return how many records show each label of these columns, those of most people first."""
    return tuple(_count(released[name]) for name in names)


def _count(column: Column) -> ReleasedLabels:
    counts = zip(column.values, column.counts.tolist(), strict=True)
    large = [(label, count) for label, count in counts if count >= SMALLEST_COUNT]
    # By name where counts are equal: codes stand in the order of the original.
    large.sort(key=lambda own: (-own[1], own[0] is not None, own[0] or ""))
    told = large[:MOST_LABELS]
    others = column.rows - sum(count for _, count in told)
    while told and 0 < others < SMALLEST_COUNT:
        others += told.pop()[1]  # a few people left over would be told by subtraction
    labels = tuple(LabelCount(label, count) for label, count in told)
    return ReleasedLabels(column.name, labels, others)


def measure_kept(pattern_of_row: Codes, rows: Codes) -> KeptPeople:
    """Return the risk of the people of a release among themselves, as they were before.

    `pattern_of_row` has a number for each original row, the same for those that look alike; `rows`
    are those of the release.
    """
    sizes = np.bincount(pattern_of_row[np.unique(rows)])
    records = int(sizes.sum())
    return KeptPeople(
        records=records,
        average_risk=int((sizes > 0).sum()) / max(records, 1),
        one_of_a_kind=int((sizes == 1).sum()) / max(records, 1),
    )
