"""The distribution of sensitive values over the classes of a release.

l is the number of different values in a class, t the distance of its distribution from that of the
table (as in l-diversity and t-closeness); both are measured whether or not a plan asks for them.
"""

from dataclasses import dataclass

import numpy as np

from deid_portal.engine.evidence.column_groups import ColumnGrouping
from deid_portal.engine.privacy import TCloseness, WholeTable
from deid_portal.engine.report.sensitive import (
    PeopleByValues,
    SensitiveSpread,
    SpreadState,
    ValueCounts,
    WorstGroup,
)
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.patterns import Classes, Pairs
from deid_portal.engine.table.table import Codes, Counts

MOST_CLASSES = 10  # reported one by one, those furthest from the table first
L_BINS: tuple[tuple[int, int | None], ...] = (
    (1, 1),
    (2, 2),
    (3, 3),
    (4, 4),
    (5, 5),
    (6, 9),
    (10, None),
)
T_BINS = 10


@dataclass(frozen=True, eq=False)
class SensitiveGroups:
    """The classes of the original or the released table, and the sensitive values in each."""

    sizes: Counts
    pairs: Pairs
    distances: Numbers  # one per group

    @classmethod
    def measure(
        cls, sizes: Counts, pairs: Pairs, whole: WholeTable, column: str, distance: str
    ) -> "SensitiveGroups":
        classes = Classes(np.arange(len(sizes), dtype=np.int32), sizes, {column: pairs})
        found = TCloseness(1.0, column, distance).distances(classes, whole)
        return cls(sizes, pairs, np.minimum(found, 1.0))

    @property
    def values(self) -> Counts:
        """Return the number of different values per class."""
        return np.bincount(self.pairs.groups, minlength=len(self.sizes)).astype(np.int64)

    @property
    def most(self) -> Counts:
        """Return the number of records with the most frequent value, per class."""
        most = np.zeros(len(self.sizes), np.int64)
        np.maximum.at(most, self.pairs.groups, self.pairs.counts)
        return most

    def summarize(self) -> SpreadState:
        """Return the worst l, t and confidence, and the distributions of l and t over records."""
        bins = np.minimum((self.distances * T_BINS).astype(np.int64), T_BINS - 1)
        people_by_t = np.bincount(bins, self.sizes, T_BINS).astype(np.int64)
        return SpreadState(
            l=int(self.values.min()) if len(self.sizes) else 0,
            t=float(self.distances.max(initial=0.0)),
            confidence=float((self.most / self.sizes).max(initial=0.0)),
            people_by_l=tuple(PeopleByValues(*ends, self._people(*ends)) for ends in L_BINS),
            people_by_t=tuple(people_by_t.tolist()),
        )

    def _people(self, low: int, high: int | None) -> int:
        inside = (self.values >= low) & (self.values <= (high or self.values.max(initial=low)))
        return int(self.sizes[inside].sum())

    def worst(self) -> list[int]:
        """Return the classes furthest from the table; ties by fewest values, then by size."""
        order = np.lexsort((-self.sizes, self.values, -self.distances))
        return [int(place) for place in order[:MOST_CLASSES]]

    def describe(self, place: int, group_of: Codes, groups: ColumnGrouping) -> WorstGroup:
        """Describe one class; `group_of` holds the group under which each value is reported."""
        own = self.pairs.groups == place
        told = group_of[self.pairs.codes[own]]
        counts = np.bincount(told, self.pairs.counts[own], len(groups.names))
        return WorstGroup(
            size=int(self.sizes[place]),
            l=int(own.sum()),
            t=float(self.distances[place]),
            most=int(self.pairs.counts[own].max()),
            counts=tuple(counts.astype(np.int64).tolist()),
        )


def describe_spread(
    groups: ColumnGrouping,
    group_of: Codes,
    distance: str,
    before: SensitiveGroups,
    after: SensitiveGroups,
) -> SensitiveSpread:
    """Describe a sensitive column before and after, and the worst classes of the release."""
    told = np.bincount(group_of[after.pairs.codes], after.pairs.counts, len(groups.names))
    values = zip(groups.names, groups.records.tolist(), told.tolist(), strict=True)
    return SensitiveSpread(
        column=groups.column,
        distance=distance,
        level_name=groups.level_name,
        merged=groups.merged,
        values=tuple(ValueCounts(name, int(was), int(shown)) for name, was, shown in values),
        before=before.summarize(),
        after=after.summarize(),
        worst=tuple(after.describe(place, group_of, groups) for place in after.worst()),
    )
