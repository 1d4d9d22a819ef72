"""Types and values of all texts of a column: the functions of `values.py` as compiled loops.

Texts the loops are unsure of (a number of very many digits, a date with blanks) are passed to those
functions as strings, so that both always agree.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table import text_kernels
from deid_portal.engine.table.text_kernels import DAY_FIRST, MONTH_FIRST, YEAR_FIRST
from deid_portal.engine.table.texts import NO_GAP, Texts
from deid_portal.engine.table.values import (
    DATE_FORMATS,
    MOST_SPELLINGS,
    ColumnType,
    is_boolean,
    is_date,
    parse_date,
    parse_number,
)

Numbers = NDArray[np.float64]

ORDERS = {"%Y": YEAR_FIRST, "%d": DAY_FIRST, "%m": MONTH_FIRST}


def infer_type_of(texts: Texts, decimal: str = ".") -> ColumnType:
    """Return the narrowest type of all texts, gaps not counted; text if there is none."""
    present = len(texts) - (texts.gap != NO_GAP)
    if not present:
        return ColumnType.TEXT
    if present <= MOST_SPELLINGS and is_boolean(texts.first(present)):
        return ColumnType.BOOLEAN
    if text_kernels.are_integers(texts.store, texts.offsets, texts.gap):
        return ColumnType.INTEGER
    if text_kernels.are_numbers(texts.store, texts.offsets, texts.gap, ord(decimal)):
        return ColumnType.NUMBER
    return ColumnType.DATE if find_date_format_of(texts) else ColumnType.TEXT


def find_date_format_of(texts: Texts) -> str | None:
    """Return the first known date format that fits every text, if there is one."""
    fits = np.ones(len(DATE_FORMATS), np.bool_)
    code = 0
    while code < len(texts) and fits.any():
        code = text_kernels.find_formats(
            texts.store, texts.offsets, texts.gap, code, _described_formats(), fits
        )
        if code < len(texts):
            for text in texts.pick([code]):
                fits &= [is_date(text, form) for form in DATE_FORMATS]
            code += 1
    return DATE_FORMATS[int(fits.argmax())] if fits.any() else None


def numbers_in(texts: Texts, decimal: str = ".") -> Numbers:
    """Return the number of each text, NaN where it is none."""
    numbers, unsure = np.empty(len(texts)), np.empty(len(texts), np.bool_)
    if text_kernels.read_numbers(
        texts.store, texts.offsets, texts.gap, ord(decimal), numbers, unsure
    ):
        codes = np.flatnonzero(unsure).tolist()
        numbers[codes] = [float(parse_number(text, decimal)) for text in texts.pick(codes)]
    return numbers


def integers_in(texts: Texts) -> NDArray[np.int64]:
    """Return the whole number of each text of a column of those, without the gap."""
    numbers = np.zeros(len(texts), np.int64)
    text_kernels.read_integers(texts.store, texts.offsets, texts.gap, numbers)
    return numbers if texts.gap == NO_GAP else np.delete(numbers, texts.gap)


def days_in(texts: Texts, form: str) -> Numbers:
    """Return each text of a column of dates as a number of days, NaN for the gap."""
    days, unsure = np.empty(len(texts)), np.empty(len(texts), np.bool_)
    described = _described_formats()[DATE_FORMATS.index(form)]
    if text_kernels.read_days(texts.store, texts.offsets, texts.gap, described, days, unsure):
        for code in np.flatnonzero(unsure).tolist():
            text = texts[code]
            is_day = text is not None and is_date(text, form)
            days[code] = parse_date(text, form).toordinal() if text and is_day else np.nan
    return days


def _described_formats() -> NDArray[np.int64]:
    """Return the formats as numbers: which part comes first, the signs, the parts of the time."""
    described = []
    for form in DATE_FORMATS:
        clock = form[8:]
        described.append(
            (ORDERS[form[:2]], ord(form[2]), clock.count("%"), ord(clock[0]) if clock else 0)
        )
    return np.array(described, np.int64)
