"""Larger tables made from Adult: seeded resampling, age shifted, a few other cells redrawn."""

from pathlib import Path

import numpy as np

from deid_portal.engine import Column, Table
from deid_portal.engine.files.csv.writer import write_csv

REDRAWN = 0.05
LARGEST_SHIFT = 3
# Copies of these, shuffled among the rows, make ten, eleven and twelve columns.
MORE_COLUMNS = ("native-country", "workclass", "occupation")


def enlarge(table: Table, rows: int, seed: int = 1) -> Table:
    """Return so many rows that look like those of Adult without repeating them."""
    generator = np.random.default_rng(seed)
    picked = generator.integers(0, table.rows, rows, dtype=np.int32)
    return Table(
        tuple(
            _shift(column, picked, generator)
            if column.name == "age"
            else _redraw(column, picked, generator)
            for column in table.columns
        )
    )


def widen(table: Table, columns: int, seed: int = 2) -> Table:
    """Return the table with this many columns: the first ones, or copies on top of all."""
    generator = np.random.default_rng(seed)
    more = [
        Column(f"{name}-2", table[name].type, generator.permutation(table[name].codes), values)
        for name in MORE_COLUMNS
        for values in [table[name].values]
    ]
    return Table((*table.columns, *more)[:columns])


def write_enlarged(table: Table, rows: int, path: Path, rows_at_once: int = 500_000) -> None:
    """Write an enlarged table as CSV, a part at a time."""
    with path.open("wb") as stream:
        for part in range(0, rows, rows_at_once):
            some = enlarge(table, min(rows_at_once, rows - part), seed=part)
            if part == 0:
                write_csv(some, stream, ";")
            else:
                write_csv(some, _WithoutFirstLine(stream), ";")  # type: ignore[arg-type]


class _WithoutFirstLine:
    """A stream that drops the first thing written to it: the column names."""

    def __init__(self, stream: object) -> None:
        self._stream = stream
        self._is_first = True

    def write(self, text: bytes) -> int:
        if self._is_first:
            self._is_first = False
            return len(text)
        return int(self._stream.write(text))  # type: ignore[attr-defined]


def _shift(column: Column, picked: np.ndarray, generator: np.random.Generator) -> Column:
    ages = np.array([int(text or 0) for text in column.values], np.int32)[column.codes[picked]]
    ages += generator.integers(-LARGEST_SHIFT, LARGEST_SHIFT + 1, len(picked), dtype=np.int32)
    values = np.arange(1, 101)
    codes = np.clip(ages, 1, 100) - 1
    return Column(column.name, column.type, codes, tuple(str(age) for age in values))


def _redraw(column: Column, picked: np.ndarray, generator: np.random.Generator) -> Column:
    codes = column.codes[picked]
    redrawn = np.flatnonzero(generator.random(len(picked), dtype=np.float32) < REDRAWN)
    codes[redrawn] = column.codes[generator.integers(0, len(column.codes), len(redrawn))]
    return Column(column.name, column.type, codes, column.values)
