"""Types of cells: whole numbers, numbers, dates, yes and no, text.

Types are inferred over the distinct values of a column and only when every value agrees. Text that
would lose something as a number (leading zeros of a postal code) stays text.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum

INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})\Z")
NUMBER = {
    ".": re.compile(r"[+-]?(?=[0-9.])(0|[1-9][0-9]*)?(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?\Z"),
    ",": re.compile(r"[+-]?(?=[0-9,])(0|[1-9][0-9]*)?(,[0-9]+)?([eE][+-]?[0-9]{1,3})?\Z"),
}
MOST_SPELLINGS = 6  # yes, Yes, YES, no, No, NO
BOOLEAN_PAIRS = ({"true", "false"}, {"yes", "no"}, {"t", "f"}, {"y", "n"})

# Tried in this order; the first that fits every value of the column is taken, so an undecidable
# 03/04/2020 is read day first.
DATE_FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%dT%H:%M:%S",
)
LONGEST_DATE = 19


class ColumnType(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DATE = "date"
    BOOLEAN = "boolean"


NUMERIC = (ColumnType.INTEGER, ColumnType.NUMBER)


def is_number(text: str, decimal: str = ".") -> bool:
    """Say whether the text is a plain number, written without leading zeros."""
    return any(character.isdigit() for character in text) and bool(NUMBER[decimal].match(text))


def parse_number(text: str, decimal: str = ".") -> Decimal:
    """Return the number a cell holds, exactly as written."""
    return Decimal(text.replace(",", ".") if decimal == "," else text)


def find_date_format(values: Iterable[str]) -> str | None:
    """Return the first known date format that fits every value, if there is one."""
    candidates = list(DATE_FORMATS)
    for text in values:
        candidates = [form for form in candidates if is_date(text, form)]
        if not candidates:
            return None
    return candidates[0]


def parse_date(text: str, form: str) -> date:
    return datetime.strptime(text, form).date()


def infer_type(values: Sequence[str | None], decimal: str = ".") -> ColumnType:
    """Return the narrowest type of all values, gaps not counted; text if there is none."""
    present = [text for text in values if text is not None]
    if not present:
        return ColumnType.TEXT
    if is_boolean(present):
        return ColumnType.BOOLEAN
    if all(INTEGER.match(text) for text in present):
        return ColumnType.INTEGER
    if all(is_number(text, decimal) for text in present):
        return ColumnType.NUMBER
    return ColumnType.DATE if find_date_format(present) else ColumnType.TEXT


def count_misfits(values: Sequence[str | None], type: ColumnType, decimal: str = ".") -> int:
    """Count the distinct values that cannot be read as this type.

    For dates and booleans the values must also agree with each other: if no one format fits all,
    every value counts as a misfit.
    """
    present = [text for text in values if text is not None]
    match type:
        case ColumnType.TEXT:
            return 0
        case ColumnType.INTEGER:
            return sum(1 for text in present if not INTEGER.match(text))
        case ColumnType.NUMBER:
            return sum(1 for text in present if not is_number(text, decimal))
        case ColumnType.DATE:
            return 0 if find_date_format(present) else len(present)
        case ColumnType.BOOLEAN:
            return 0 if is_boolean(present) else len(present)


def is_boolean(values: Sequence[str]) -> bool:
    """Say whether the values are a pair such as yes and no, in any case."""
    if len(values) > MOST_SPELLINGS:
        return False
    words = {text.lower() for text in values}
    return any(words <= pair for pair in BOOLEAN_PAIRS)


def is_date(text: str, form: str) -> bool:
    if len(text) > LONGEST_DATE or not text[:1].isdigit():
        return False
    try:
        parse_date(text, form)
    except ValueError:
        return False
    return True
