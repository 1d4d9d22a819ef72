"""Columns as numbers, and numbers as columns again."""

from collections.abc import Callable
from datetime import date

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType, find_date_format, is_number, parse_date

Numbers = NDArray[np.float64]
MOST_DECIMALS = 6
TEXTS_PER_CHUNK = 1 << 16
LARGEST_INTEGER = 1e18  # a longer one is read as a number
LARGEST_TO_SQUARE = 1e100  # squares of larger ones, added up, would soon have no float


def numbers_of(column: Column) -> Numbers:
    """Return the number of each value of a column, NaN where it is none."""
    return np.array(
        [
            float(text.replace(",", ".")) if text and is_number(text, column.decimal) else np.nan
            for text in column.values
        ],
        np.float64,
    )


def check_squares(column: Column, numbers: Numbers) -> None:
    """Refuse numbers, one per value of a column, too large for means and deviations."""
    strangers = int(((np.abs(numbers) > LARGEST_TO_SQUARE) & (column.counts > 0)).sum())
    if strangers:
        raise InvalidPlan(
            f'method: {strangers} numbers of the column "{column.name}" are beyond '
            f"{LARGEST_TO_SQUARE:g}, too large to compute with; mend them or put top and bottom "
            f"coding first."
        )


def days_of(column: Column) -> Numbers:
    """Return each value of a column of dates as a number of days, NaN where it is none."""
    texts = [text for text in column.values if text is not None]
    form = find_date_format(texts) if texts else None
    if form is None:
        return np.full(len(column.values), np.nan)
    return np.array(
        [np.nan if text is None else _day(parse_date(text, form)) for text in column.values]
    )


def positions_of(column: Column) -> Numbers:
    """Return where each value stands in the order of its column, NaN for the gap.

    Numbers and dates stand at their own place, texts at their rank in the alphabet.
    """
    if column.type in (ColumnType.INTEGER, ColumnType.NUMBER):
        return numbers_of(column)
    if column.type == ColumnType.DATE:
        return days_of(column)
    order = sorted(range(len(column.values)), key=column.sort_key)
    ranks = np.empty(len(order))
    ranks[order] = np.arange(len(order))
    if column.gap is not None:
        ranks[column.gap] = np.nan
    return ranks


def decimals_of(column: Column) -> int:
    """Return how many decimals the numbers of a column are written with at most."""
    parts = (text.partition(column.decimal)[2] for text in column.values if text)
    return min(max((len(part) for part in parts if part.isdigit()), default=0), MOST_DECIMALS)


def number_column(
    like: Column,
    numbers: Numbers,
    decimals: int | None,
    report: Callable[[], None] = lambda: None,
) -> Column:
    """Write one number per row as a column of the same name; NaN is a gap.

    Without `decimals`, as many as are needed, at most six. `report` is called while writing.
    """
    digits = MOST_DECIMALS if decimals is None else decimals
    # Adding zero makes a zero of a negative zero, which would be written -0.
    distinct, codes = np.unique(np.round(numbers, digits) + 0.0, return_inverse=True)
    texts: list[str | None] = []
    for start in range(0, len(distinct), TEXTS_PER_CHUNK):
        report()
        texts += _write(distinct[start : start + TEXTS_PER_CHUNK], decimals, like.decimal)
    # Two floats may read the same when they are so large that they have no decimals.
    known = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    if len(known) < len(texts):
        codes = np.array([known[text] for text in texts])[codes]
    type = _type_of(distinct, decimals)
    return Column(like.name, type, codes.astype(np.int32), tuple(known), like.decimal)


def _write(numbers: Numbers, decimals: int | None, sign: str) -> list[str | None]:
    form = f".{MOST_DECIMALS if decimals is None else decimals}f"
    texts = [format(number, form) for number in numbers.tolist()]
    if decimals is None:
        texts = [text.rstrip("0").rstrip(".") for text in texts]
    if sign != ".":
        texts = [text.replace(".", sign) for text in texts]
    return [None if text == "nan" else text for text in texts]


def _type_of(numbers: Numbers, decimals: int | None) -> ColumnType:
    """Return the type the written numbers have, without reading them again."""
    present = numbers[~np.isnan(numbers)]
    if not len(present):
        return ColumnType.TEXT
    is_whole = not decimals and bool((present == np.floor(present)).all())
    is_short = bool((np.abs(present) < LARGEST_INTEGER).all())
    return ColumnType.INTEGER if is_whole and is_short else ColumnType.NUMBER


def _day(day: date) -> int:
    return day.toordinal()
