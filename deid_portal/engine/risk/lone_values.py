"""Values that only one record shows: who knows such a value of somebody finds the record.

An exact amount that nobody else has gives a person away whatever the groups of look-alikes say, and
rules that only count different values promise nothing about it.
"""

from dataclasses import dataclass

import numpy as np

from deid_portal.engine.table.table import Column

MOSTLY = 0.5  # from this share of lone values on, nearly every value is one of a kind


@dataclass(frozen=True)
class ValueVariety:
    """How different the values of a column are; gaps are no values."""

    records: int  # that have a value
    different: int
    lone: int  # records whose value no other has

    @classmethod
    def of(cls, column: Column) -> "ValueVariety":
        counts = column.counts.copy()
        if column.gap is not None:
            counts[column.gap] = 0
        return cls(int(counts.sum()), int(np.count_nonzero(counts)), int((counts == 1).sum()))

    @property
    def lone_share(self) -> float:
        return self.lone / self.records if self.records else 0.0

    @property
    def is_mostly_lone(self) -> bool:
        """Say whether most values occur once, so that counting different values tells nothing."""
        return self.records > 1 and self.lone_share >= MOSTLY
