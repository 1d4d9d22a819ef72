"""How many rows there are for every combination of declared values."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.differential.fields import ColumnList, Field
from deid_portal.engine.differential.noise.noise import FOR_COUNTS
from deid_portal.engine.differential.number_words import join
from deid_portal.engine.differential.questions.cells_question import CellsQuestion
from deid_portal.engine.differential.selection.domains import LEFT_OUT, Indices
from deid_portal.engine.differential.selection.rows import SelectedRows


@dataclass(frozen=True)
class Contingency(CellsQuestion):
    by: tuple[str, ...]

    kind: ClassVar[str] = "contingency"
    label: ClassVar[str] = "Cross table"
    tile: ClassVar[str] = "Counts for every combination of two or more columns"
    fields: ClassVar[tuple[Field, ...]] = (
        ColumnList(name="by", label="Columns to cross", most=6),
        FOR_COUNTS,
    )

    @property
    def cells(self) -> int:
        return prod(len(values) for values in self._values)

    def cell_of(self, rows: SelectedRows) -> Indices:
        cell = np.zeros(rows.table.rows, np.int64)
        inside = np.ones(rows.table.rows, np.bool_)
        for column, values in zip(self.by, self._values, strict=True):
            places = rows.places(column)
            inside &= places >= 0
            cell = cell * len(values) + places
        return np.where(inside, cell, LEFT_OUT)

    def names(self) -> list[Mapping[str, Any]]:
        return [{"of": dict(zip(self.by, cell, strict=True))} for cell in product(*self._values)]

    def asks(self) -> str:
        return f"How many rows are there for every combination of {join(self.by)}"

    @property
    def _values(self) -> list[tuple[str | None, ...]]:
        return [self.setting.values_of(name).values for name in self.by]
