"""Groups of the values of a column, by which reports break figures down.

A value of fewer than five people is never reported by itself: rare values are joined in one group
named "smaller groups".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.numbers import Numbers, days_of, numbers_of
from deid_portal.engine.table.table import Codes, Column, Counts
from deid_portal.engine.table.values import ColumnType
from deid_portal.engine.taxonomies import Taxonomy

MOST_GROUPS = 20
SMALLEST_GROUP = 5  # people
REST = "smaller groups"
RANGES = 8


@dataclass(frozen=True, eq=False)
class ColumnGrouping:
    """The group of each value of a column.

    Groups of numbers and dates are in ascending order, others by size, largest first; the joined
    group of rare values is last.
    """

    column: str
    names: tuple[str | None, ...]  # one per group, None for the gap
    group_of: Codes  # one group per code of the column
    records: Counts  # one count per group
    level_name: str | None = None  # what the groups are; None if they are single values
    merged: int = 0  # number of groups joined in the last one

    def count(self, weights: Numbers | Counts) -> Numbers:
        """Sum weights, given per code of the column, within groups."""
        return np.bincount(self.group_of, weights, len(self.names)).astype(np.float64)

    def shares_of(self, original: Column, covered: Sequence[Codes], labels: Column) -> Numbers:
        """Return a matrix label × group with the share of each group in a label.

        `covered` holds the codes of the original values that a label may stand for; they count
        evenly. A number that occurs only in the release, such as one with noise, belongs to the
        group whose range it falls into; other values that occur only in the release to no group.
        """
        places = _Places(original)
        shares = np.zeros((len(covered), len(self.names)))
        for label, codes in enumerate(covered):
            if len(codes):
                shares[label] = np.bincount(self.group_of[codes], minlength=len(self.names))
                shares[label] /= len(codes)
            elif (code := places.nearest(labels, label)) is not None:
                shares[label, self.group_of[code]] = 1
        return shares


class _Places:
    """Finds the nearest value of a column for a number or date that does not occur in it."""

    def __init__(self, column: Column) -> None:
        places = _places(column)
        known = np.flatnonzero(~np.isnan(places) & (column.counts > 0))
        self._codes = known[np.argsort(places[known], kind="stable")]
        self._places = places[self._codes]
        self._type = column.type
        self._others: Numbers | None = None

    def nearest(self, labels: Column, label: int) -> int | None:
        """Return the code of the largest value not above the label, or of the smallest value."""
        if not len(self._codes):
            return None
        if self._others is None:
            self._others = _places(replace(labels, type=self._type))
        place = self._others[label]
        if np.isnan(place):
            return None
        index = int(np.searchsorted(self._places, place, side="right")) - 1
        return int(self._codes[max(index, 0)])


def group_column(
    column: Column, taxonomy: Taxonomy | None = None, most: int = MOST_GROUPS
) -> ColumnGrouping:
    """Choose the finest grouping with at most `most` groups.

    The values themselves if they are few enough, otherwise labels of the taxonomy, ranges of
    numbers or dates, or else the most frequent values.
    """
    names, group_of, level_name = _finest(column, taxonomy, most)
    records = np.bincount(group_of, column.counts, len(names)).astype(np.int64)
    order = _in_order(column, group_of, records)
    kept = _large_enough(order, records, most)
    merged = [group for group in order if group not in kept]
    number_of = np.full(len(names), len(kept), np.int32)
    number_of[kept] = np.arange(len(kept), dtype=np.int32)
    shown = [names[group] for group in kept] + ([REST] if merged else [])
    counts = [int(records[group]) for group in kept]
    return ColumnGrouping(
        column=column.name,
        names=tuple(shown),
        # Values without records are in no group; any index will do, since their weight is zero.
        group_of=np.minimum(number_of[group_of], max(len(shown) - 1, 0)).astype(np.int32),
        records=np.array(counts + ([int(records[merged].sum())] if merged else []), np.int64),
        level_name=level_name,
        merged=len(merged),
    )


def _finest(
    column: Column, taxonomy: Taxonomy | None, most: int
) -> tuple[tuple[str | None, ...], Codes, str | None]:
    """Return the names of groups, the group of each code, and the name of the level."""
    exact = np.arange(len(column.values), dtype=np.int32)
    if (column.counts > 0).sum() <= most:
        return column.values, exact, None
    if taxonomy is not None:
        for level in range(1, taxonomy.height):
            own = taxonomy.codes[level][: len(column.values)]
            if 2 <= len(np.unique(own[column.counts > 0])) <= most:
                return taxonomy.labels[level], own, taxonomy.level_names[level]
    ranges = _ranges(column)
    return ranges if ranges is not None else (column.values, exact, None)


def _ranges(column: Column) -> tuple[tuple[str | None, ...], Codes, str | None] | None:
    """Cut numbers or dates into ranges of about equally many people; missing values are a group.

    The outer ranges are open, since the smallest and the largest value may identify one person.
    """
    places = _places(column)
    known = np.flatnonzero(~np.isnan(places) & (column.counts > 0))
    if len(known) <= RANGES:
        return None
    ordered = known[np.argsort(places[known], kind="stable")]
    share = np.cumsum(column.counts[ordered]) / column.counts[ordered].sum()
    parts = np.minimum((share * RANGES - 1e-9).astype(np.int32), RANGES - 1)
    parts = np.unique(parts, return_inverse=True)[1]
    ends = [ordered[parts == part][[0, -1]] for part in range(int(parts.max()) + 1)]
    if len(ends) < 2:
        return None
    group_of = np.full(len(column.values), len(ends), np.int32)
    group_of[ordered] = parts
    return (*_name_ranges(column, ends), None), group_of, "ranges"


def _name_ranges(column: Column, ends: list[NDArray[np.intp]]) -> list[str]:
    names = [
        f"{column.values[low]}" if low == high else f"{column.values[low]} to {column.values[high]}"
        for low, high in ends
    ]
    names[0] = f"up to {column.values[ends[0][1]]}"
    names[-1] = f"from {column.values[ends[-1][0]]}"
    return names


def _places(column: Column) -> Numbers:
    """Return each value as a number, dates as days; NaN if it is neither."""
    if column.type == ColumnType.DATE:
        return days_of(column)
    if column.type in (ColumnType.INTEGER, ColumnType.NUMBER):
        return numbers_of(column)
    return np.full(len(column.values), np.nan)


def _in_order(column: Column, group_of: Codes, records: Counts) -> list[int]:
    """Return the non-empty groups: numbers and dates in ascending order, others by size."""
    present = np.flatnonzero(records)
    places = _places(column)
    known = ~np.isnan(places)
    if not known.any():
        return [int(group) for group in present[np.argsort(-records[present], kind="stable")]]
    lowest = np.full(len(records), np.inf)
    np.minimum.at(lowest, group_of[known], places[known])
    return [int(group) for group in present[np.argsort(lowest[present], kind="stable")]]


def _large_enough(order: list[int], records: Counts, most: int) -> list[int]:
    """Return the groups that may be reported by themselves.

    The others are joined; if even together they have too few people, the smallest of the remaining
    groups joins them.
    """
    by_people = sorted(order, key=lambda group: -records[group])
    large = [group for group in by_people if records[group] >= SMALLEST_GROUP]
    kept = large if len(order) <= most and len(large) == len(order) else large[: most - 1]
    together = sum(int(records[group]) for group in order) - int(records[kept].sum() if kept else 0)
    while kept and 0 < together < SMALLEST_GROUP:
        together += int(records[kept.pop()])
    chosen = set(kept)
    return [group for group in order if group in chosen]
