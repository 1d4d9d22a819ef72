"""What a column looks like: counts, rare values, a histogram."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table import text_kernels
from deid_portal.engine.table.table import Column, Counts
from deid_portal.engine.table.text_values import Numbers, days_in, find_date_format_of, numbers_in
from deid_portal.engine.table.values import ColumnType

MOST_FREQUENT = 12
MOST_BINS = 16
MOST_SHOWN = max(MOST_FREQUENT, MOST_BINS)


@dataclass(frozen=True)
class ColumnProfile:
    """Figures of one column for its steward; values and histogram are raw data, not for release."""

    name: str
    type: ColumnType
    rows: int
    missing: int
    distinct: int  # different values, gaps not counted
    uniques: int  # values that occur once
    rarest: int  # rows that hold the rarest value
    most_frequent: tuple[tuple[str, int], ...]
    histogram: tuple[tuple[str, int], ...]
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None


def profile_column(column: Column) -> ColumnProfile:
    """Count a column's values; numbers and dates get a histogram over their range.

    Only shown values become strings, so the time for a million different values depends only on
    their number of bytes.
    """
    texts, counts = column.texts, column.counts
    counted = _counted(column)
    rows = counts[counted]
    first = text_kernels.rank_first(texts.store, texts.offsets, texts.gap, counts, MOST_SHOWN)
    ordered = list(zip(texts.pick(first.tolist()), counts[first].tolist(), strict=True))
    numbers = _numbers(column)
    numbers = numbers[counted] if len(numbers) else numbers
    return ColumnProfile(
        name=column.name,
        type=column.type,
        rows=column.rows,
        missing=column.missing,
        distinct=len(rows),
        uniques=int(np.count_nonzero(rows == 1)),
        rarest=int(rows.min()) if len(rows) else 0,
        most_frequent=tuple(ordered[:MOST_FREQUENT]),
        histogram=_bin_numbers(column, numbers, rows)
        if _have_a_range(numbers)
        else _bin_values(ordered, rows),
        **_summary(column, numbers, rows),
    )


def _counted(column: Column) -> NDArray[np.bool_] | slice:
    """Return the codes that occur, without the gap; usually all, as a slice that copies nothing."""
    is_counted = column.counts > 0
    if column.gap is not None:
        is_counted[column.gap] = False
    return slice(None) if is_counted.all() else is_counted


def _numbers(column: Column) -> Numbers:
    """Return a number per value, dates as days; none for other types."""
    if column.type in (ColumnType.INTEGER, ColumnType.NUMBER):
        return numbers_in(column.texts, column.decimal)
    if column.type == ColumnType.DATE and (form := find_date_format_of(column.texts)):
        return days_in(column.texts, form)
    return np.empty(0)


def _have_a_range(numbers: Numbers) -> bool:
    """Say whether there are numbers, and none so large that differences overflow."""
    return bool(len(numbers)) and math.isfinite(float(numbers.max()) - float(numbers.min()))


def _summary(column: Column, numbers: Numbers, rows: Counts) -> dict[str, float]:
    if not _have_a_range(numbers) or column.type == ColumnType.DATE:
        return {}
    summary = {"minimum": float(numbers.min()), "maximum": float(numbers.max())}
    with np.errstate(over="ignore"):
        mean = text_kernels.add_exactly(numbers * rows) / int(rows.sum())
    return summary | ({"mean": mean} if math.isfinite(mean) else {})


def _bin_values(ordered: list[tuple[str, int]], rows: Counts) -> tuple[tuple[str, int], ...]:
    """Return a bar per value, the rarest joined into one when there are too many.

    `ordered` are the most frequent values, `rows` those of each value.
    """
    if len(rows) <= MOST_BINS:
        return tuple(ordered)
    shown = ordered[: MOST_BINS - 1]
    rest = int(rows.sum()) - sum(count for _, count in shown)
    return (*shown, (f"{len(rows) - len(shown)} other values", rest))


def _bin_numbers(column: Column, values: Numbers, rows: Counts) -> tuple[tuple[str, int], ...]:
    """Return bars of equal width over the range, a bar per number when there are few."""
    if len(values) <= MOST_BINS and column.type != ColumnType.DATE:
        pairs = sorted(zip(values.tolist(), rows.tolist(), strict=True))
        return tuple((_label(column, number), count) for number, count in pairs)
    low, high = float(values.min()), float(values.max())
    width = (high - low) / MOST_BINS or 1.0
    if column.type != ColumnType.NUMBER:
        width = math.ceil((high - low + 1) / MOST_BINS)
    bins = np.minimum(((values - low) // width).astype(int), MOST_BINS - 1)
    heights = np.bincount(bins, weights=rows).astype(int)
    return tuple(
        (_range_label(column, low + width * index, width), int(height))
        for index, height in enumerate(heights)
    )


def _range_label(column: Column, start: float, width: float) -> str:
    if column.type == ColumnType.NUMBER:
        return f"{_label(column, start)} to {_label(column, start + width)}"
    if width == 1:
        return _label(column, start)
    return f"{_label(column, start)} to {_label(column, start + width - 1)}"


def _label(column: Column, number: float) -> str:
    if column.type == ColumnType.DATE:
        return str(np.datetime64("0001-01-01") + np.timedelta64(int(number) - 1, "D"))
    if column.type == ColumnType.INTEGER:
        return str(int(number))
    return f"{number:.6g}"
