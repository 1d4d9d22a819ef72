"""Comparison of the distributions of single columns and of pairs, before and after."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from deid_portal.engine.report.utility import MarginalChange, PairChange
from deid_portal.engine.table.numbers import Numbers, numbers_of
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.utility.coverage import LabelCoverage

MOST_VALUES = 2000


def compare_marginals(
    original: Table, released: Table, coverages: Sequence[LabelCoverage]
) -> list[MarginalChange]:
    """Compare each column's distribution over its original values."""
    return [
        _compare_column(original[coverage.name], released[coverage.name], coverage)
        for coverage in coverages
    ]


def compare_pairs(
    original: Table, released: Table, coverages: Sequence[LabelCoverage]
) -> list[PairChange]:
    """Compare every pair of columns; those with too many values to cross are left out."""
    few = [
        coverage
        for coverage in coverages
        if max(coverage.values, len(coverage.covered)) <= MOST_VALUES
    ]
    return [_compare_pair(original, released, *pair) for pair in combinations(few, 2)]


def total_variation(first: Numbers, second: Numbers) -> float:
    """Return half the sum of differences of two distributions given in any unit."""
    return float(np.abs(_shares(first) - _shares(second)).sum() / 2)


def earth_mover_ordered(first: Numbers, second: Numbers) -> float:
    """Return Σ |difference of cumulated shares| / (values - 1), values in order."""
    apart = np.cumsum(_shares(first) - _shares(second))
    return float(np.abs(apart[:-1]).sum() / max(len(apart) - 1, 1))


def cramers_v(table: Numbers) -> float:
    """Return Cramér's V of a contingency table (Cramér, 1946), 0 if a side has one value."""
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    smaller = min(table.shape) - 1
    if smaller < 1:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    squared = float(((table - expected) ** 2 / expected).sum() / table.sum())
    return float(np.sqrt(min(squared / smaller, 1.0)))


def _compare_column(original: Column, released: Column, coverage: LabelCoverage) -> MarginalChange:
    before = original.counts.astype(np.float64)
    after = released.counts @ coverage.spread
    numbers = numbers_of(original)
    if np.isnan(numbers).all():
        distance = total_variation(before, after)
    else:
        order = np.argsort(numbers, kind="stable")
        distance = earth_mover_ordered(before[order], after[order])
    return MarginalChange(original.name, total_variation(before, after), distance)


def _compare_pair(
    original: Table, released: Table, first: LabelCoverage, second: LabelCoverage
) -> PairChange:
    before = _contingency(original[first.name], original[second.name])
    shown = _contingency(released[first.name], released[second.name])
    after = first.spread.T @ shown @ second.spread
    numbers = [numbers_of(original[coverage.name]) for coverage in (first, second)]
    return PairChange(
        columns=(first.name, second.name),
        total_variation=total_variation(before.ravel(), after.ravel()),
        association_before=cramers_v(before),
        association_after=cramers_v(shown),
        correlation_before=_correlate(before, numbers[0], numbers[1]),
        correlation_after=_correlate(
            shown, *(_mean_numbers(*pair) for pair in zip((first, second), numbers, strict=True))
        ),
    )


def _contingency(first: Column, second: Column) -> Numbers:
    keys = first.codes.astype(np.int64) * len(second.values) + second.codes
    size = len(first.values) * len(second.values)
    return np.bincount(keys, minlength=size).reshape(-1, len(second.values)).astype(np.float64)


def _mean_numbers(coverage: LabelCoverage, numbers: Numbers) -> Numbers:
    """Return per label the mean of the numbers it stands for."""
    return np.array(
        [
            np.nan if np.isnan(numbers[codes]).all() else np.nanmean(numbers[codes])
            for codes in coverage.covered
        ]
    )


def _correlate(table: Numbers, first: Numbers, second: Numbers) -> float | None:
    """Return Pearson's correlation over cells that are numbers on both sides.

    None where there are none, or where they are too large to be squared.
    """
    table = table[~np.isnan(first)][:, ~np.isnan(second)]
    first, second = first[~np.isnan(first)], second[~np.isnan(second)]
    if not table.sum():
        return None
    weights = table / table.sum()
    across, down = weights.sum(axis=1), weights.sum(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):
        left, right = first - across @ first, second - down @ second
        spread = float(np.sqrt(across @ left**2) * np.sqrt(down @ right**2))
        shared = float(left @ weights @ right)
    if not np.isfinite([spread, shared]).all():
        return None
    return shared / spread if spread else 0.0


def _shares(counts: Numbers) -> Numbers:
    total = float(counts.sum())
    return counts / total if total else counts
