"""A table as named columns of integer codes with dictionaries.

Gaps are defined here and nowhere else: a missing cell is the dictionary entry None, with its own
code and count like any other value, so an incomplete record never drops out of a count.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.table.row_kernels import add_counts
from deid_portal.engine.table.texts import Texts
from deid_portal.engine.table.values import ColumnType, infer_type

if TYPE_CHECKING:
    from pandas import DataFrame

Codes = NDArray[np.int32]
PackedCodes = NDArray[np.integer[Any]]

Counts = NDArray[np.int64]
ROWS_PER_CHUNK = 1 << 18


def row_chunks(rows: int, size: int = ROWS_PER_CHUNK) -> Iterator[slice]:
    """Return the rows in parts small enough to be worked on one after the other."""
    return (slice(start, start + size) for start in range(0, rows, size))


def count_codes(codes: PackedCodes, size: int = 0) -> Counts:
    """Return how often each code occurs; at least `size` counts."""
    counts = np.zeros(max(size, int(codes.max()) + 1 if len(codes) else 0), np.int64)
    seen = np.ascontiguousarray(codes).view()
    seen.setflags(write=False)  # always, so that the loop is compiled for one kind of array only
    add_counts(seen, counts)
    return counts


@dataclass(frozen=True, eq=False)
class Column:
    """One column: a code per row and, per code, the original text of the cell.

    `values` holds None at most once: the gap. `decimal` is the decimal sign its numbers use.
    """

    name: str
    type: ColumnType
    codes: Codes  # one code per row
    values: tuple[str | None, ...]  # one text per code
    decimal: str = "."

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", np.ascontiguousarray(self.codes, dtype=np.int32))
        self.codes.setflags(write=False)
        if len(set(self.values)) != len(self.values):
            raise InvalidTable(f'Column "{self.name}" lists a value twice in its dictionary.')
        if len(self.codes) and not 0 <= self.codes.min() <= self.codes.max() < len(self.values):
            raise InvalidTable(f'Column "{self.name}" has codes outside its dictionary.')

    @classmethod
    def from_cells(
        cls, name: str, cells: Iterable[str | None], type: ColumnType | None = None
    ) -> "Column":
        """Encode cells in order of appearance; the type is inferred unless given."""
        dictionary: dict[str | None, int] = {}
        codes = [dictionary.setdefault(cell, len(dictionary)) for cell in cells]
        values = tuple(dictionary)
        return cls(name, type or infer_type(values), np.array(codes, dtype=np.int32), values)

    @property
    def packed(self) -> PackedCodes:
        """Return the codes, possibly in fewer bytes: enough for counting and storing them."""
        return self.codes

    @cached_property
    def texts(self) -> Texts:
        """Return the values as bytes, for functions that need all of them."""
        return Texts.from_values(self.values)

    @property
    def rows(self) -> int:
        return len(self.packed)

    @property
    def different(self) -> int:
        """Return how many values the dictionary lists, the gap among them."""
        return len(self.values)

    @cached_property
    def gap(self) -> int | None:
        """Return the code of the gap, or None if no cell is missing."""
        return self.values.index(None) if None in self.values else None

    @cached_property
    def counts(self) -> Counts:
        """Return how many rows hold each value, one count per code."""
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)

    @property
    def missing(self) -> int:
        return int(self.counts[self.gap]) if self.gap is not None else 0

    def cells(self) -> Iterator[str | None]:
        return (self.values[code] for code in self.codes)

    def sort_key(self, code: int) -> tuple[bool, str]:
        """Order codes by their text, the gap first, whatever order the file had."""
        text = self.values[code]
        return (text is not None, text or "")

    def take(self, rows: NDArray[np.intp] | slice) -> "Column":
        return replace(self, codes=self.codes[rows])

    def without_caches(self) -> "Column":
        """Return the same column without cached properties, if these are quick to compute."""
        return self

    def with_type(self, type: ColumnType) -> "Column":
        """Return the same cells read as another type."""
        return replace(self, type=type)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length with distinct names; `source_sha256` is that of the file read.

    `pandas_types` are the types of the data frame it was made of, for `to_pandas`.
    """

    columns: tuple[Column, ...]
    source_sha256: str = ""
    pandas_types: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _by_name: Mapping[str, Column] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "_by_name", {column.name: column for column in self.columns})
        if len(self._by_name) != len(self.columns):
            raise InvalidTable("Two columns of the table have the same name.")
        if len({column.rows for column in self.columns}) > 1:
            raise InvalidTable("The columns of the table are not equally long.")

    @classmethod
    def from_rows(cls, names: Sequence[str], rows: Iterable[Sequence[str | None]]) -> "Table":
        """Encode rows of text; for small tables and tests."""
        cells = list(zip(*rows, strict=True)) or [()] * len(names)
        return cls(tuple(Column.from_cells(*pair) for pair in zip(names, cells, strict=True)))

    @classmethod
    def from_pandas(cls, frame: "DataFrame") -> "Table":
        """Return a data frame as a table: None, NaN, NaT and NA are gaps, the index is dropped."""
        from deid_portal.engine.table.frames import table_from_frame  # pandas takes long to start

        return table_from_frame(frame)

    def to_pandas(self) -> "DataFrame":
        """Return a data frame; columns get the types of the data frame the table was made of."""
        from deid_portal.engine.table.frames import frame_from_table  # pandas takes long to start

        return frame_from_table(self)

    @property
    def rows(self) -> int:
        return self.columns[0].rows if self.columns else 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def head(self, count: int) -> list[list[str | None]]:
        """Return the first rows as text, gaps as None."""
        some = [list(column.take(slice(0, count)).cells()) for column in self.columns]
        return [list(row) for row in zip(*some, strict=True)]

    def with_types(self, types: Mapping[str, ColumnType]) -> "Table":
        """Return the same cells read as other types."""
        columns = (column.with_type(types.get(column.name, column.type)) for column in self.columns)
        return Table(tuple(columns), self.source_sha256, self.pandas_types)

    @cached_property
    def sha256(self) -> str:
        """Return the hash of the source file or, without one, of names and cells in order."""
        return self.source_sha256 or self._fingerprint()

    def _fingerprint(self) -> str:
        digest = hashlib.sha256()
        for column in self.columns:
            order = sorted(np.flatnonzero(column.counts).tolist(), key=column.sort_key)
            rank = np.zeros(len(column.values), dtype=np.int32)
            rank[order] = np.arange(len(order), dtype=np.int32)
            texts = [column.name, *(column.values[code] for code in order)]
            digest.update(repr(texts).encode())
            digest.update(rank[column.codes].tobytes())
        return digest.hexdigest()
