"""Who pays: how suppression and loss fall on the groups of a column."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Column, Counts


@dataclass(frozen=True, eq=False)
class ColumnBurden:
    """What each group of a column lost; arrays are per code of the column, values stay with it."""

    column: str
    records: Counts
    suppressed: Counts
    suppressed_share: Numbers
    loss: Numbers  # mean share of detail lost, a suppressed record counting 1
    gap: float  # largest less smallest share of suppressed records, over groups that occur

    @property
    def sentence(self) -> str:
        groups = int((self.records > 0).sum())
        return (
            f'Between the {groups} groups of column "{self.column}" the share of records left out '
            f"differs by {100 * self.gap:.1f} percentage points."
        )


def measure_burden(
    column: Column, kept: NDArray[np.bool_], losses: Mapping[str, Numbers]
) -> ColumnBurden:
    """Split suppression and loss by the values of a column, gaps as a group of their own.

    `kept` says per row whether it was released; `losses` holds per quasi-identifier the share of
    detail each row lost, between 0 and 1.
    """
    size = len(column.values)
    records = column.counts
    suppressed = np.bincount(column.codes[~kept], minlength=size).astype(np.int64)
    lost = sum(losses.values(), np.zeros(len(column.codes))) / max(len(losses), 1)
    per_row = np.where(kept, lost, 1.0)
    several = np.maximum(records, 1)
    shares = suppressed / several
    present = shares[records > 0]
    return ColumnBurden(
        column=column.name,
        records=records,
        suppressed=suppressed,
        suppressed_share=shares,
        loss=np.bincount(column.codes, weights=per_row, minlength=size) / several,
        gap=float(present.max() - present.min()) if len(present) else 0.0,
    )
