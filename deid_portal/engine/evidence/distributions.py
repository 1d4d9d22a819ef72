"""One- and two-way distributions before and after, as a recipient would count them.

A generalized label counts evenly for the values it may stand for. Values are reported in groups of
at least five people.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.evidence.column_groups import MOST_GROUPS, ColumnGrouping, group_column
from deid_portal.engine.report.distributions import (
    ColumnDistribution,
    CrossedPair,
    DistributionReport,
    GroupedColumn,
)
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.coverage import LabelCoverage, cover

MOST_COLUMNS = 40
MOST_CROSSED_COLUMNS = 12
MOST_CROSSED_GROUPS = 8


@dataclass(frozen=True, eq=False)
class ComparedColumn:
    """A column in groups, before and after."""

    groups: ColumnGrouping
    before: Codes  # group of each original row
    shares: Numbers  # matrix kind of label × group; labels of one kind have equal shares
    kinds: Codes  # kind of label of each released row
    kept: Codes | None = None  # group of the original row behind each released one, where known

    @classmethod
    def of(
        cls,
        original: Column,
        released: Column,
        coverage: LabelCoverage,
        groups: ColumnGrouping,
        rows: Codes | None,
    ) -> "ComparedColumn":
        shares = groups.shares_of(original, coverage.covered, released)
        # Labels with equal shares are one kind: there are far fewer kinds than labels.
        kinds, kind_of = np.unique(shares, axis=0, return_inverse=True)
        before = groups.group_of[original.codes]
        return cls(
            groups,
            before,
            kinds,
            kind_of.reshape(-1).astype(np.int32)[released.codes],
            None if rows is None else before[rows],
        )

    def after(self) -> Numbers:
        counts = np.bincount(self.kinds, minlength=len(self.shares)).astype(np.float64)
        told: Numbers = counts @ self.shares
        return told


def describe_distributions(
    original: Table,
    released: Table,
    names: list[str],
    taxonomies: Mapping[str, Taxonomy],
    rows: Codes | None = None,
    report: Callable[[], None] = lambda: None,
) -> DistributionReport:
    """Return one-way counts of these columns, and two-way counts of the first of them.

    `rows` holds the original row of each released record; if given, the original values of released
    records are counted as well ("kept"), for viewers who must not learn about suppressed ones.
    `report` is called in between, to report progress or to stop the work.
    """
    known = {
        name: cover(original[name], released[name], taxonomies.get(name))
        for name in names[:MOST_COLUMNS]
    }

    def show(name: str, most: int) -> ComparedColumn | None:
        report()
        groups = group_column(original[name], taxonomies.get(name), most)
        if len(groups.names) < 2:
            return None
        return ComparedColumn.of(original[name], released[name], known[name], groups, rows)

    columns = [show(name, MOST_GROUPS) for name in known]
    crossed = [
        shown for name in names[:MOST_CROSSED_COLUMNS] if (shown := show(name, MOST_CROSSED_GROUPS))
    ]
    pairs = []
    for first, second in combinations(range(len(crossed)), 2):
        report()
        pairs.append(_cross((first, second), crossed[first], crossed[second]))
    return DistributionReport(
        columns=tuple(_describe_column(shown) for shown in columns if shown),
        crossed=tuple(_describe_groups(shown.groups) for shown in crossed),
        pairs=tuple(pairs),
    )


def _describe_groups(groups: ColumnGrouping) -> GroupedColumn:
    return GroupedColumn(groups.column, groups.level_name, groups.merged, tuple(groups.names))


def _describe_column(shown: ComparedColumn) -> ColumnDistribution:
    kept = None
    if shown.kept is not None:
        kept = tuple(np.bincount(shown.kept, minlength=len(shown.groups.names)).tolist())
    return ColumnDistribution(
        **vars(_describe_groups(shown.groups)),
        before=tuple(shown.groups.records.tolist()),
        after=tuple(np.round(shown.after(), 1).tolist()),
        kept=kept,
    )


def _cross(columns: tuple[int, int], one: ComparedColumn, other: ComparedColumn) -> CrossedPair:
    """Cross-tabulate two columns."""
    sizes = len(one.groups.names), len(other.groups.names)
    before = _count_pairs(one.before, other.before, *sizes)
    kinds = _count_pairs(one.kinds, other.kinds, len(one.shares), len(other.shares))
    after = one.shares.T @ kinds @ other.shares
    kept = None
    if one.kept is not None and other.kept is not None:
        kept = _rows(_count_pairs(one.kept, other.kept, *sizes).astype(np.int64))
    return CrossedPair(
        columns=columns,
        before=_rows(before.astype(np.int64)),
        after=_rows(np.round(after, 1)),
        kept=kept,
    )


def _rows(counts: NDArray[Any]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, counts.tolist()))


def _count_pairs(one: Codes, other: Codes, ones: int, others: int) -> Numbers:
    keys = one.astype(np.int64) * others + other
    return np.bincount(keys, minlength=ones * others).reshape(ones, others).astype(np.float64)
