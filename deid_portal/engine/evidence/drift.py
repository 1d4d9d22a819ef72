"""How far a column has drifted: the same column of two tables, last month's and this month's.

Two tables of different people never agree exactly, so the verdict counts a difference only if
tests find it (`difference_tests`), and says which one they would not have found. Where the rows of
both tables are the same people, cells are compared in their places, and nothing is left to chance.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.evidence.difference_tests import (
    Difference,
    compare_counts,
    compare_numbers,
)
from deid_portal.engine.table.numbers import Numbers, days_of, numbers_of
from deid_portal.engine.table.table import Column, Counts
from deid_portal.engine.table.values import NUMERIC, ColumnType

MOST_BARS = 16
SHIFTED_UP_TO = 0.2  # beyond it a distribution is another one
# The share of cells in the same rows that hold another value from which a column has shifted.
CHANGED_FROM = 0.005
SAME_PLACES = 0.9  # agreement of cells beyond chance from which rows are the same people
# If more than half of the values occur once, new people have new values; that is no drift.
MOSTLY_UNIQUE = 0.5
OTHERS = "other values"
Shares = NDArray[np.float64]
# The sorted numbers of a column, and the number of rows of each.
_Side = tuple[Numbers, Counts]
_Sides = tuple[_Side, _Side]


class DriftVerdict(StrEnum):
    SAME = "same"
    SHIFTED = "shifted"
    DIFFERENT = "different"
    NOT_COMPARED = "not compared"


ORDER = (
    DriftVerdict.NOT_COMPARED,
    DriftVerdict.SAME,
    DriftVerdict.SHIFTED,
    DriftVerdict.DIFFERENT,
)


@dataclass(frozen=True)
class DriftBar:
    """Rows of both tables in one bin; the label names values, so it needs row access."""

    label: str | None  # None is the missing value
    before: int
    after: int


@dataclass(frozen=True)
class ColumnDrift:
    """The drift of a column. `distance` is from 0 (equal) to 1 (nothing in common).

    For numbers and dates it is the Kolmogorov-Smirnov statistic or, if larger, the difference in
    the share of missing values. For other columns it is the total variation distance, in which a
    missing value counts as a value; None if values are mostly unique. `difference` has what the
    tests found. If both tables have as many rows, `moved` of them hold another value in their
    place, and `agreement` is 1 if none does and 0 if as many as chance would make.
    """

    new_values: int  # values that only the later table has
    new_rows: int  # its rows that hold them
    gone_values: int
    difference: Difference | None
    verdict: DriftVerdict
    bars: tuple[DriftBar, ...]
    moved: int | None = None
    agreement: float | None = None

    @property
    def distance(self) -> float | None:
        return None if self.difference is None else self.difference.distance

    @property
    def is_mostly_unique(self) -> bool:
        return self.difference is None

    def with_same_rows(self, rows: int) -> "ColumnDrift":
        """Return the drift where the rows of both tables are the same people."""
        if self.moved is None or self.moved < CHANGED_FROM * rows:
            return self
        return replace(self, verdict=max(self.verdict, DriftVerdict.SHIFTED, key=ORDER.index))


def measure_column_drift(before: Column, after: Column, columns: int = 1) -> ColumnDrift:
    """Compare one of so many columns of two tables; different types are compared as text."""
    counted = _count_together(before, after)
    rows = counted.rows
    sides = (_sorted_rows(before), _sorted_rows(after)) if _are_ordered(before, after) else None
    difference = _compare(counted, sides, columns)
    moved, agreement = _count_moved(before, after, counted)
    return ColumnDrift(
        new_values=int(((rows[0] == 0) & (rows[1] > 0) & counted.is_present).sum()),
        new_rows=int(rows[1][(rows[0] == 0) & counted.is_present].sum()),
        gone_values=int(((rows[0] > 0) & (rows[1] == 0) & counted.is_present).sum()),
        difference=difference,
        verdict=judge_drift(difference),
        bars=_draw(before, after, counted, sides),
        moved=moved,
        agreement=agreement,
    )


def judge_drift(difference: Difference | None) -> DriftVerdict:
    """Return the verdict on what the tests found."""
    if difference is None:
        return DriftVerdict.NOT_COMPARED
    if not difference.is_seen:
        return DriftVerdict.SAME
    is_small = difference.distance <= SHIFTED_UP_TO
    return DriftVerdict.SHIFTED if is_small else DriftVerdict.DIFFERENT


def are_same_rows(drifts: Sequence[ColumnDrift]) -> bool:
    """Say whether the rows of two tables are the same people in the same order.

    A column of names that agrees in its places is enough, otherwise most columns have to, and at
    least three: tables that are sorted agree in some places by themselves.
    """
    agreeing = [own for own in drifts if own.agreement is not None and own.agreement > SAME_PLACES]
    if any(own.is_mostly_unique for own in agreeing):
        return True
    return len(agreeing) >= max(3, len(drifts) / 2)


def _count_moved(
    before: Column, after: Column, counted: "_Together"
) -> tuple[int | None, float | None]:
    """Count the rows with another value in their place, and say how far that is from chance."""
    if before.rows != after.rows or not before.rows:
        return None, None
    place = {text: number for number, text in enumerate(counted.texts)}
    codes = [
        np.array([place[text] for text in own.values], np.int64)[own.codes]
        for own in (before, after)
    ]
    moved = int((codes[0] != codes[1]).sum())
    shares = counted.shares
    by_chance = 1 - float((shares[0] * shares[1]).sum())
    return moved, 1 - moved / before.rows / by_chance if by_chance > 0 else None


@dataclass(frozen=True)
class _Together:
    """The values of both tables, each with its numbers of rows before and after."""

    texts: Sequence[str | None]
    rows: Counts  # two rows, one count per text

    @property
    def is_present(self) -> NDArray[np.bool_]:
        return np.array([text is not None for text in self.texts], dtype=bool)

    @property
    def shares(self) -> Shares:
        totals = np.maximum(self.rows.sum(axis=1, keepdims=True), 1)
        shares: Shares = self.rows / totals
        return shares


def _count_together(before: Column, after: Column) -> _Together:
    place = {text: number for number, text in enumerate(before.values)}
    for text in after.values:
        place.setdefault(text, len(place))
    rows = np.zeros((2, len(place)), np.int64)
    rows[0, : len(before.values)] = before.counts
    rows[1, [place[text] for text in after.values]] = after.counts
    return _Together(list(place), rows)


def _compare(counted: _Together, sides: _Sides | None, columns: int) -> Difference | None:
    if not counted.rows.sum(axis=1).all():
        return None
    if sides is None:
        return None if _is_mostly_unique(counted) else compare_counts(counted.rows, columns)
    points = np.union1d(sides[0][0], sides[1][0])
    rows = np.zeros((2, len(points)), np.int64)
    for side, (places, own) in enumerate(sides):
        np.add.at(rows[side], np.searchsorted(points, places), own)
    missing = counted.rows.sum(axis=1) - rows.sum(axis=1)
    return compare_numbers(points, rows, missing, columns)


def _are_ordered(before: Column, after: Column) -> bool:
    if before.type in NUMERIC and after.type in NUMERIC:
        return True
    return before.type == after.type == ColumnType.DATE


def _is_mostly_unique(counted: _Together) -> bool:
    rows = counted.rows[:, counted.is_present]
    alone = (rows == 1).sum(axis=1)
    return bool((alone > MOSTLY_UNIQUE * np.maximum(rows.sum(axis=1), 1)).any())


def _places_of(column: Column) -> Numbers:
    return days_of(column) if column.type == ColumnType.DATE else numbers_of(column)


def _sorted_rows(column: Column) -> _Side:
    places = _places_of(column)
    kept = ~np.isnan(places) & (column.counts > 0)
    order = np.argsort(places[kept], kind="stable")
    return places[kept][order], column.counts[kept][order]


def _draw(
    before: Column, after: Column, counted: _Together, sides: _Sides | None
) -> tuple[DriftBar, ...]:
    """Return bars with the same bins for both tables, so that they can be compared."""
    gap = [
        DriftBar(None, *(int(rows) for rows in counted.rows[:, place]))
        for place in np.flatnonzero(~counted.is_present)
        if counted.rows[:, place].any()
    ]
    if sides is None:
        return (*_draw_values(counted), *gap)
    is_whole = ColumnType.NUMBER not in (before.type, after.type)
    return (*_draw_numbers(sides, before.type, is_whole=is_whole), *gap)


def _draw_values(counted: _Together) -> list[DriftBar]:
    """One bar per value, those with the largest shares first, the rest in one bar."""
    weight = np.where(counted.is_present, counted.shares.sum(axis=0), -1)
    places = [int(p) for p in np.argsort(-weight, kind="stable") if weight[p] > 0]
    shown = places if len(places) <= MOST_BARS else places[: MOST_BARS - 1]
    bars = [DriftBar(counted.texts[place], *map(int, counted.rows[:, place])) for place in shown]
    rest = counted.rows[:, places[len(shown) :]].sum(axis=1)
    return [*bars, DriftBar(OTHERS, *map(int, rest))] if rest.any() else bars


def _draw_numbers(sides: _Sides, type: ColumnType, *, is_whole: bool) -> list[DriftBar]:
    """One bar per number if there are few, otherwise equal bins; outliers are in the outer ones."""
    edges = np.union1d(sides[0][0], sides[1][0])
    if len(edges) > MOST_BARS:
        low = min(_quantile(side, 0.01) for side in sides if len(side[0]))
        high = max(_quantile(side, 0.99) for side in sides if len(side[0]))
        edges = _steps(low, high, is_whole=is_whole)
    heights = [_heights(side, edges) for side in sides]
    return [
        DriftBar(_label(edge, type), int(first), int(then))
        for edge, first, then in zip(edges, *heights, strict=True)
    ]


def _steps(low: float, high: float, *, is_whole: bool) -> Numbers:
    """Return the lower end of each bin."""
    if is_whole:
        return np.arange(low, high + 1, np.ceil((high - low + 1) / MOST_BARS))
    return np.linspace(low, high, MOST_BARS, endpoint=False) if high > low else np.array([low])


def _quantile(side: _Side, share: float) -> float:
    places, rows = side
    return float(places[np.searchsorted(np.cumsum(rows), share * rows.sum())])


def _heights(side: _Side, edges: Numbers) -> Counts:
    places, rows = side
    bins = np.clip(np.searchsorted(edges, places, side="right") - 1, 0, None)
    return np.bincount(bins, weights=rows, minlength=len(edges)).astype(np.int64)


def _label(edge: float, type: ColumnType) -> str:
    if type == ColumnType.DATE:
        return date.fromordinal(int(edge)).isoformat()
    return f"{edge:.6g}"
