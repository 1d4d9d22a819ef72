"""A column as read from a file or the vault: in few bytes, unpacked when needed."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.table.table import Codes, Column, Counts, PackedCodes, count_codes
from deid_portal.engine.table.texts import NO_GAP, Texts
from deid_portal.engine.table.values import ColumnType

# The narrowest integer type that holds so many codes.
CODE_KINDS = ((1 << 8, np.dtype(np.uint8)), (1 << 16, np.dtype(np.uint16)))
WIDEST = np.dtype(np.int32)


def kind_for(values: int) -> np.dtype[np.integer]:
    """Return the integer type for the codes of so many values."""
    return next((kind for most, kind in CODE_KINDS if values <= most), WIDEST)


class PackedColumn(Column):
    """A column whose codes are as narrow as they can be and whose values are bytes.

    Codes of 32 bits and strings are made when they are first needed, and kept. Reading a table
    needs neither.
    """

    def __init__(
        self,
        name: str,
        type: ColumnType,
        codes: PackedCodes,
        values: Texts | tuple[str | None, ...],
        decimal: str = ".",
    ) -> None:
        if not isinstance(values, Texts):  # a copy of an unpacked column
            super().__init__(name, type, np.asarray(codes, np.int32), values, decimal)
            self.__dict__["_packed"] = self.__dict__["codes"]
            return
        if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(values):
            raise InvalidTable(f'Column "{name}" has codes outside its dictionary.')
        codes.setflags(write=False)
        own = {"name": name, "type": type, "decimal": decimal, "texts": values, "_packed": codes}
        self.__dict__.update(own)

    @property
    def packed(self) -> PackedCodes:
        found: PackedCodes = self.__dict__["_packed"]
        return found

    @cached_property
    def codes(self) -> Codes:
        codes = np.ascontiguousarray(self.packed, np.int32)
        codes.setflags(write=False)
        return codes

    @cached_property
    def values(self) -> tuple[str | None, ...]:
        return self.texts.to_values()

    @property
    def different(self) -> int:
        return len(self.texts)

    @cached_property
    def gap(self) -> int | None:
        return None if self.texts.gap == NO_GAP else self.texts.gap

    @cached_property
    def counts(self) -> Counts:
        return count_codes(self.packed, len(self.texts))

    def cells(self) -> Iterator[str | None]:
        """Yield the text of every row; only those of a few rows are unpacked one by one."""
        values = self.values if self.rows >= len(self.texts) else self.texts
        return (values[code] for code in self.packed.tolist())

    def take(self, rows: NDArray[np.intp] | slice) -> Column:
        return PackedColumn(self.name, self.type, self.packed[rows], self.texts, self.decimal)

    def without_caches(self) -> Column:
        return self.with_type(self.type)

    def with_type(self, type: ColumnType) -> Column:
        return PackedColumn(self.name, type, self.packed, self.texts, self.decimal)
