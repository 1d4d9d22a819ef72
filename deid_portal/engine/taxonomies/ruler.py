"""The groups of a taxonomy on the scale of its numbers or dates, as a ruler with marks."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import (
    ColumnType,
    find_date_format,
    is_number,
    parse_date,
    parse_number,
)
from deid_portal.engine.taxonomies.taxonomy import Taxonomy

BARS = 48


@dataclass(frozen=True)
class GroupStart:
    """Where a group begins; the level is the highest at which it does."""

    place: float
    level: int
    text: str  # the first value of the group, as it is written


@dataclass(frozen=True)
class Ruler:
    low: float
    high: float
    bars: tuple[int, ...]  # rows, over equal parts from low to high
    marks: tuple[GroupStart, ...]


def lay_ruler(column: Column, taxonomy: Taxonomy) -> Ruler | None:
    """Return the ruler of a taxonomy of numbers or dates; None for other values."""
    places = _places(column)
    if len(places) < 2:
        return None
    codes = np.array(list(places), dtype=np.int64)
    scale = np.array(list(places.values()), dtype=np.float64)
    order = np.argsort(scale, kind="stable")
    codes, scale = codes[order], scale[order]
    low, high = float(scale[0]), float(scale[-1])
    if not low < high:
        return None
    edges = _edges(low, high, is_whole=column.type != ColumnType.NUMBER)
    bars = np.histogram(scale, edges, weights=column.counts[codes])[0]
    marks = _marks(column, taxonomy, codes, scale)
    return Ruler(low, float(edges[-1]), tuple(int(rows) for rows in bars), marks)


def _edges(low: float, high: float, *, is_whole: bool) -> NDArray[np.float64]:
    """Cut the scale; whole numbers into parts that hold equally many of them."""
    if not is_whole:
        return np.linspace(low, high, BARS + 1)
    width = math.ceil((high - low + 1) / BARS)
    return np.arange(low, high + width + 1, width, dtype=np.float64)


def _marks(
    column: Column, taxonomy: Taxonomy, codes: NDArray[np.int64], scale: NDArray[np.float64]
) -> tuple[GroupStart, ...]:
    begins = np.zeros(len(codes), dtype=np.int64)
    for level in range(1, taxonomy.height):
        labels = taxonomy.codes[level, codes]
        begins[1:][labels[1:] != labels[:-1]] = level
    return tuple(
        GroupStart(float(scale[index]), int(begins[index]), column.values[codes[index]] or "")
        for index in np.flatnonzero(begins).tolist()
    )


def _places(column: Column) -> dict[int, float]:
    """Return the place of every value on the scale, by its code."""
    texts = {code: text for code, text in enumerate(column.values) if text is not None}
    if column.type in (ColumnType.INTEGER, ColumnType.NUMBER):
        return {
            code: float(parse_number(text, column.decimal))
            for code, text in texts.items()
            if is_number(text, column.decimal)
        }
    form = find_date_format(texts.values()) if column.type == ColumnType.DATE else None
    return _days(texts, form) if form else {}


def _days(texts: dict[int, str], form: str) -> dict[int, float]:
    return {code: float(parse_date(text, form).toordinal()) for code, text in texts.items()}
