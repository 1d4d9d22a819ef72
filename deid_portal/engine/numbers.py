"""Columns as numbers, and numbers as columns again."""

from datetime import date

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table import Column
from deid_portal.engine.values import (
    ColumnType,
    find_date_format,
    infer_type,
    is_number,
    parse_date,
)

Numbers = NDArray[np.float64]
MOST_DECIMALS = 6


def numbers_of(column: Column) -> Numbers:
    """Return the number of each value of a column, NaN where it is none."""
    return np.array(
        [
            float(text.replace(",", ".")) if text and is_number(text, column.decimal) else np.nan
            for text in column.values
        ],
        np.float64,
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


def number_column(like: Column, numbers: Numbers, decimals: int | None) -> Column:
    """Write one number per row as a column of the same name; NaN is a gap.

    Without `decimals`, as many as are needed, at most six.
    """
    digits = MOST_DECIMALS if decimals is None else decimals
    distinct, codes = np.unique(np.round(numbers, digits), return_inverse=True)
    texts = [_write(number, decimals, like.decimal) for number in distinct]
    # Two numbers may read the same: 0 and -0.
    known = {text: code for code, text in enumerate(dict.fromkeys(texts))}
    joined = np.array([known[text] for text in texts], np.int32)
    values = tuple(known)
    return Column(like.name, infer_type(values, like.decimal), joined[codes], values, like.decimal)


def _write(number: float, decimals: int | None, sign: str) -> str | None:
    if np.isnan(number):
        return None
    text = f"{number:.{MOST_DECIMALS if decimals is None else decimals}f}"
    if decimals is None and "." in text:
        text = text.rstrip("0").rstrip(".")
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace(".", sign)


def _day(day: date) -> int:
    return day.toordinal()
