"""What every kind of file shares: limits, names of columns, and cells turned into codes."""

from array import array
from collections.abc import Iterable, Sequence

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.reader import LONG_CELL, LONGEST_CELL, LONGEST_NAME, MOST_COLUMNS
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.table.values import infer_type

NO_ROWS = "The table has column names but no rows below them."


class CellEncoder:
    """Numbers the texts of one column in the order they come; an empty text is a gap."""

    def __init__(self) -> None:
        self._codes = array("i")
        self._values: dict[str | None, int] = {}

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def is_empty(self) -> bool:
        return not any(self._values)

    def add(self, cell: str | None) -> None:
        text = cell or None
        self._codes.append(self._values.setdefault(text, len(self._values)))

    def extend(self, texts: Iterable[str | None], codes: Codes) -> None:
        """Add rows that are numbered already: `texts` has one entry per number."""
        known = self._values
        numbers = [known.setdefault(text or None, len(known)) for text in texts]
        self._codes.frombytes(np.array(numbers, np.int32)[codes].tobytes())

    def fill(self, rows: slice, source: int) -> None:
        """Give these rows the value of row `source`."""
        self._codes[rows] = array("i", [self._codes[source]] * len(self._codes[rows]))

    def replace(self, gaps: frozenset[str]) -> None:
        """Make these texts gaps."""
        found = [text for text in self._values if text in gaps]
        if not found:
            return
        known = {text: code for text, code in self._values.items() if text not in gaps}
        order: dict[str | None, int] = {text: place for place, text in enumerate(known)}
        gap = order.setdefault(None, len(order))
        numbers = np.array([order.get(text, gap) for text in self._values], np.int32)
        codes = numbers[np.frombuffer(self._codes, np.int32)]
        self._codes, self._values = array("i", codes.tobytes()), order

    def build(self, name: str) -> Column:
        codes = np.frombuffer(self._codes, np.int32) if self._codes else np.empty(0, np.int32)
        return _without_unused(Column(name, infer_type(()), codes, tuple(self._values)))


def _without_unused(column: Column) -> Column:
    """Return the column with its type, and without values that no row holds any more."""
    used = np.flatnonzero(column.counts)
    if len(used) == len(column.values):
        values, codes = column.values, column.codes
    else:
        places = np.zeros(len(column.values), np.int32)
        places[used] = np.arange(len(used), dtype=np.int32)
        values = tuple(column.values[code] for code in used)
        codes = places[column.codes]
    return Column(column.name, infer_type(values), codes, values, column.decimal)


def check_column_count(count: int) -> None:
    if not count:
        raise InvalidTable("The table has no columns. Choose a file with column names and rows.")
    if count > MOST_COLUMNS:
        raise InvalidTable(f"The file has {count} columns; at most {MOST_COLUMNS} can be read.")


def check_names(names: Sequence[str]) -> None:
    """Refuse names that are missing, too long or there twice."""
    seen: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if not name.strip():
            raise InvalidTable(f"Column {number} has no name; give every column one.")
        if len(name) > LONGEST_NAME:
            raise InvalidTable(
                f"The name of column {number} has {len(name)} characters; at most {LONGEST_NAME} "
                f"are accepted."
            )
        if name in seen:
            raise InvalidTable(
                f"Columns {seen[name]} and {number} have the same name; rename one in the file."
            )
        seen[name] = number


def check_cells(table: Table, first_row: int = 2) -> None:
    """Refuse a cell of implausible length: it would fill the memory of every later step."""
    for number, column in enumerate(table.columns, start=1):
        # A text has at least as many bytes as characters.
        for code in column.texts.longer_than(LONGEST_CELL):
            if len(column.texts[code] or "") > LONGEST_CELL:
                row = int(np.argmax(column.packed == code)) + first_row
                raise InvalidTable(f"Row {row}, column {number} {LONG_CELL}")
