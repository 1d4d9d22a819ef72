"""How far a column has drifted: the same column of two tables, last month's and this month's.

Two tables of different people never agree exactly, so the verdict counts a difference only if it
is larger than sampling error in tables of these sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.numbers import Numbers, days_of, numbers_of
from deid_portal.engine.table.table import Column, Counts
from deid_portal.engine.table.values import ColumnType

MOST_BARS = 16
# Up to here a difference is too small to matter, even if it is statistically significant.
SAME_UP_TO = 0.05
SHIFTED_UP_TO = 0.2
# Critical values at the 1 % level, in units of sqrt(1 / n + 1 / m): of the statistic for ordered
# values, and of the excess of the total variation distance over its expectation.
KOLMOGOROV_SMIRNOV = 1.628  # Smirnov, 1948
BOUNDED_DIFFERENCES = 1.518  # sqrt(ln(100) / 2); McDiarmid, 1989
# If more than half of the values occur once, new people have new values; that is no drift.
MOSTLY_UNIQUE = 0.5
OTHERS = "other values"
NUMERIC = (ColumnType.INTEGER, ColumnType.NUMBER)
Shares = NDArray[np.float64]
# The sorted numbers of a column, and the number of rows of each.
_Side = tuple[Numbers, Counts]
_Sides = tuple[_Side, _Side]


class DriftVerdict(StrEnum):
    SAME = "same"
    SHIFTED = "shifted"
    DIFFERENT = "different"
    NOT_COMPARED = "not compared"


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
    missing value counts as a value; None if values are mostly unique. `chance` is the critical
    value at the 1 % level for tables of these sizes.
    """

    new_values: int  # values that only the later table has
    new_rows: int  # its rows that hold them
    gone_values: int
    distance: float | None
    chance: float
    verdict: DriftVerdict
    bars: tuple[DriftBar, ...]


def measure_column_drift(before: Column, after: Column) -> ColumnDrift:
    """Compare a column of two tables; columns of different types are compared as text."""
    counted = _count_together(before, after)
    rows = counted.rows
    sides = (_sorted_rows(before), _sorted_rows(after)) if _are_ordered(before, after) else None
    distance, chance = _distance(counted, sides)
    return ColumnDrift(
        new_values=int(((rows[0] == 0) & (rows[1] > 0) & counted.is_present).sum()),
        new_rows=int(rows[1][(rows[0] == 0) & counted.is_present].sum()),
        gone_values=int(((rows[0] > 0) & (rows[1] == 0) & counted.is_present).sum()),
        distance=distance,
        chance=chance,
        verdict=judge_drift(distance, chance),
        bars=_draw(before, after, counted, sides),
    )


def judge_drift(distance: float | None, chance: float) -> DriftVerdict:
    """Return the verdict on a distance."""
    if distance is None:
        return DriftVerdict.NOT_COMPARED
    if distance <= max(SAME_UP_TO, chance):
        return DriftVerdict.SAME
    return DriftVerdict.SHIFTED if distance <= SHIFTED_UP_TO else DriftVerdict.DIFFERENT


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


def _distance(counted: _Together, sides: _Sides | None) -> tuple[float | None, float]:
    sizes = counted.rows.sum(axis=1)
    if not sizes.all():
        return None, 1.0
    spread = float(np.sqrt((1 / sizes).sum()))
    if sides is not None:
        missing = counted.shares[:, ~counted.is_present].sum(axis=1)
        gap = max(_largest_gap(sides), abs(float(missing[0] - missing[1])))
        return gap, KOLMOGOROV_SMIRNOV * spread
    if _is_mostly_unique(counted):
        return None, 1.0
    shares = counted.shares
    distance = float(np.abs(shares[0] - shares[1]).sum() / 2)
    pooled = counted.rows.sum(axis=0) / sizes.sum()
    expected = float(np.sqrt(pooled * (1 - pooled)).sum() * spread / 2)
    return distance, min(expected + BOUNDED_DIFFERENCES * spread, 1.0)


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


def _largest_gap(sides: _Sides) -> float:
    """Return the Kolmogorov-Smirnov statistic of the values that are not missing."""
    points = np.union1d(sides[0][0], sides[1][0])
    curves = [_cumulative(places, rows, points) for places, rows in sides]
    return float(np.abs(curves[0] - curves[1]).max(initial=0))


def _sorted_rows(column: Column) -> _Side:
    places = _places_of(column)
    kept = ~np.isnan(places) & (column.counts > 0)
    order = np.argsort(places[kept], kind="stable")
    return places[kept][order], column.counts[kept][order]


def _cumulative(places: Numbers, rows: Counts, points: Numbers) -> Shares:
    if not len(places):
        return np.zeros(len(points))
    reached = np.concatenate([[0], np.cumsum(rows)])[np.searchsorted(places, points, side="right")]
    shares: Shares = reached / rows.sum()
    return shares


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
