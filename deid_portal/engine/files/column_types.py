"""Reading a column as another type than its values suggest, because its steward says so.

Where the text of a number or date is written differently afterwards (zeros in front are dropped, a
date becomes year-month-day), values that are the same then share a code.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType, count_misfits, infer_type, is_number

FIRST_TEXTS = 1000
LEADING_ZEROS = re.compile(r"([+-]?)0+(?=[0-9])")
# Digits in groups of three: 35.173,27 where the comma is the decimal sign, 35,173.27 where the
# point is; an apostrophe or a blank between the groups goes with either.
GROUPS = (
    r"[+-]?[1-9][0-9]{{0,2}}(?P<sign>[{signs}'’ \u00a0\u202f])[0-9]{{3}}(?:(?P=sign)[0-9]{{3}})*"
)
GROUPED = {
    ",": re.compile(GROUPS.format(signs=".") + r"(?P<decimals>,[0-9]+)?\Z"),
    ".": re.compile(GROUPS.format(signs=",") + r"(?P<decimals>\.[0-9]+)?\Z"),
}
SLASHED_DATE = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{4}\Z")


class TypeChoice(StrEnum):
    """What a steward can say a column holds."""

    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    DAY_FIRST = "date-day-first"
    MONTH_FIRST = "date-month-first"


TYPE_WORDS = {
    TypeChoice.INTEGER: "a whole number",
    TypeChoice.NUMBER: "a number",
    TypeChoice.BOOLEAN: "yes or no",
    TypeChoice.DATE: "a date",
    TypeChoice.DAY_FIRST: "a date with the day first",
    TypeChoice.MONTH_FIRST: "a date with the month first",
}
DATE_ORDERS = {TypeChoice.DAY_FIRST: "%d/%m/%Y", TypeChoice.MONTH_FIRST: "%m/%d/%Y"}


def read_as(column: Column, choice: TypeChoice, number: int) -> Column:
    """Return the column as this type; `number`, its place, is for messages."""
    kind = ColumnType.DATE if choice in DATE_ORDERS else ColumnType(choice.value)
    read = _rewritten(column, _writer_of(choice, column.decimal))
    misfits = count_misfits(read.values, kind, column.decimal)
    if misfits:
        values = "1 value is not" if misfits == 1 else f"{misfits} values are not"
        raise InvalidTable(
            f"Column {number} cannot be read as {TYPE_WORDS[choice]}: {values}. "
            f"Leave it as text or mend the file."
        )
    return Column(read.name, kind, read.codes, read.values, read.decimal)


def without_thousands(column: Column) -> Column:
    """Return a text column of numbers whose digits stand in groups of three as a column of numbers.

    All values must agree on the sign between the groups. Codes such as 123 456 look the same, so
    there must be decimals, or numbers of different length.
    """
    if column.type != ColumnType.TEXT or not _has_thousands(column):
        return column
    read = _rewritten(column, lambda text: _drop_thousands(text, column.decimal))
    return replace(read, type=infer_type(read.values, column.decimal))


def _has_thousands(column: Column) -> bool:
    first = column.texts.first(FIRST_TEXTS)
    # Most columns are decided by their first texts, without a look at millions of others.
    return _are_in_groups(first, column.decimal) and (
        len(first) < FIRST_TEXTS
        or _are_in_groups(column.texts.first(len(column.texts)), column.decimal)
    )


def _are_in_groups(texts: Sequence[str], decimal: str) -> bool:
    found = [GROUPED[decimal].match(text) for text in texts]
    grouped = [one for one in found if one is not None]
    rest = (text for text, one in zip(texts, found, strict=True) if one is None)
    if len({one["sign"] for one in grouped}) != 1:
        return False
    has_decimals = any(one["decimals"] for one in grouped)
    is_code = not has_decimals and len({len(text) for text in texts}) == 1
    return not is_code and all(is_number(text, decimal) for text in rest)


def count_leading_zeros(column: Column) -> int:
    """Count the values that would lose zeros as numbers, if all others are numbers too."""
    present = [text for text in column.values if text is not None]
    stripped = [_drop_zeros(text) for text in present]
    zeros = sum(1 for text, bare in zip(present, stripped, strict=True) if text != bare)
    if not zeros or count_misfits(tuple(stripped), ColumnType.NUMBER, column.decimal):
        return 0
    return zeros


def could_be_either_order(column: Column) -> bool:
    """Say whether every date of the column fits with the day first and with the month first."""
    present = [text for text in column.values if text is not None]
    if not present or not all(SLASHED_DATE.match(text) for text in present):
        return False
    return all(max(int(part) for part in re.split(r"[./-]", text)[:2]) <= 12 for text in present)


def _writer_of(choice: TypeChoice, decimal: str) -> Callable[[str], str] | None:
    if choice in (TypeChoice.INTEGER, TypeChoice.NUMBER):
        return lambda text: _drop_zeros(_drop_thousands(text, decimal))
    if choice in DATE_ORDERS:
        return lambda text: _write_date(text, DATE_ORDERS[choice])
    return None


def _drop_zeros(text: str) -> str:
    return LEADING_ZEROS.sub(r"\1", text, count=1) if text[:1] in "+-0" else text


def _drop_thousands(text: str, decimal: str) -> str:
    found = GROUPED[decimal].match(text)
    return text.replace(found["sign"], "") if found else text


def _write_date(text: str, order: str) -> str:
    """Return the date as year-month-day, or the text as it is when it is none."""
    if not SLASHED_DATE.match(text):
        return text
    try:
        return datetime.strptime(re.sub("[.-]", "/", text), order).date().isoformat()
    except ValueError:
        return text


def _rewritten(column: Column, write: Callable[[str], str] | None) -> Column:
    if write is None:
        return column
    dictionary: dict[str | None, int] = {}
    numbers = [
        dictionary.setdefault(None if text is None else write(text), len(dictionary))
        for text in column.values
    ]
    codes = np.array(numbers, np.int32)[column.codes]
    return Column(column.name, column.type, codes, tuple(dictionary), column.decimal)
