"""What a column looks like: counts, rare values, a histogram."""

import math
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table import Column, Table
from deid_portal.engine.values import ColumnType, find_date_format, parse_date, parse_number

MOST_FREQUENT = 12
MOST_BINS = 16


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


def profile_table(
    table: Table, progress: ProgressCallback | None = None
) -> tuple[ColumnProfile, ...]:
    """Profile every column in order; `progress` counts columns in the phase "profile"."""
    steps = Progress(progress)
    profiles = []
    for index, column in enumerate(table.columns):
        steps.report(index, len(table.columns), "profile")
        profiles.append(profile_column(column))
    steps.report(len(profiles), len(profiles), "profile")
    return tuple(profiles)


def profile_column(column: Column) -> ColumnProfile:
    """Count a column's values; numbers and dates get a histogram over their range."""
    counts = {
        text: int(rows)
        for text, rows in zip(column.values, column.counts, strict=True)
        if text is not None and rows
    }
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    numbers = _numbers(column, counts)
    return ColumnProfile(
        name=column.name,
        type=column.type,
        rows=len(column.codes),
        missing=column.missing,
        distinct=len(counts),
        uniques=sum(1 for rows in counts.values() if rows == 1),
        rarest=min(counts.values(), default=0),
        most_frequent=tuple(ordered[:MOST_FREQUENT]),
        histogram=_bin_numbers(column, numbers) if numbers else _bin_values(ordered),
        **_summary(column, numbers),
    )


def _numbers(column: Column, counts: dict[str, int]) -> list[tuple[float, int]]:
    """Return (number, rows) in order; dates as days, nothing for other types."""
    if column.type in (ColumnType.INTEGER, ColumnType.NUMBER):
        pairs = [(float(parse_number(text, column.decimal)), n) for text, n in counts.items()]
    elif column.type == ColumnType.DATE and (form := find_date_format(counts)):
        pairs = [(float(parse_date(text, form).toordinal()), n) for text, n in counts.items()]
    else:
        pairs = []
    return sorted(pairs)


def _summary(column: Column, numbers: list[tuple[float, int]]) -> dict[str, float]:
    if not numbers or column.type == ColumnType.DATE:
        return {}
    rows = sum(count for _, count in numbers)
    mean = math.fsum(number * count for number, count in numbers) / rows
    return {"minimum": numbers[0][0], "maximum": numbers[-1][0], "mean": mean}


def _bin_values(ordered: list[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Return a bar per value, the rarest joined into one when there are too many."""
    if len(ordered) <= MOST_BINS:
        return tuple(ordered)
    shown, others = ordered[: MOST_BINS - 1], ordered[MOST_BINS - 1 :]
    rest = sum(rows for _, rows in others)
    return (*shown, (f"{len(others)} other values", rest))


def _bin_numbers(column: Column, numbers: list[tuple[float, int]]) -> tuple[tuple[str, int], ...]:
    """Return bars of equal width over the range, a bar per number when there are few."""
    if len(numbers) <= MOST_BINS and column.type != ColumnType.DATE:
        return tuple((_label(column, number), rows) for number, rows in numbers)
    values = np.array([number for number, _ in numbers])
    rows = np.array([count for _, count in numbers])
    low, high = float(values[0]), float(values[-1])
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
