"""Who is in which group."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from deid_portal.engine.table.table import Codes, Counts


@dataclass(frozen=True, eq=False)
class Groups:
    """Records divided among groups numbered from 0."""

    of_record: Codes

    @cached_property
    def sizes(self) -> Counts:
        return np.bincount(self.of_record).astype(np.int64)

    @property
    def count(self) -> int:
        return len(self.sizes)

    def joined(self, numbers: Codes) -> "Groups":
        """Return the groups after joining those with the same number in `numbers`."""
        _, new = np.unique(numbers, return_inverse=True)
        return Groups(new.astype(np.int32)[self.of_record])
