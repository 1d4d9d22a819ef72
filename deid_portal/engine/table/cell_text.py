"""Values of typed files as the text of a cell."""

import math
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType

MIDNIGHT = " 00:00:00"


def write_cell(value: Any) -> str | None:
    """Return the text of a value, None for a gap.

    A number is written as short as it can be without changing it, a moment as year-month-day with
    its time.
    """
    match value:
        case None:
            return None
        case str():
            return value or None
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return write_float(value)
        case Decimal():
            return f"{value:f}"
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            return str(value) or None


def write_float(value: float) -> str | None:
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "-Infinity" if value < 0 else "Infinity"
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def without_midnight(column: Column) -> Column:
    """Return a column of moments as dates, if all of them are the beginning of a day."""
    present = [text for text in column.values if text is not None]
    if column.type != ColumnType.DATE or not all(text.endswith(MIDNIGHT) for text in present):
        return column
    days = tuple(text and text.removesuffix(MIDNIGHT) for text in column.values)
    return replace(column, values=days)
