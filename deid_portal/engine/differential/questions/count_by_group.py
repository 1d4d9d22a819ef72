"""How many rows there are in each group of declared values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.differential.fields import Field, ValuesColumn
from deid_portal.engine.differential.noise.noise import FOR_COUNTS
from deid_portal.engine.differential.questions.cells_question import CellsQuestion
from deid_portal.engine.differential.selection.domains import Indices
from deid_portal.engine.differential.selection.rows import SelectedRows


@dataclass(frozen=True)
class CountByGroup(CellsQuestion):
    """Empty groups are answered like any other: omitting them would reveal that they are empty."""

    column: str

    kind: ClassVar[str] = "count-by-group"
    label: ClassVar[str] = "How many in each group"
    tile: ClassVar[str] = "One number for every value of a column, for the price of one"
    fields: ClassVar[tuple[Field, ...]] = (
        ValuesColumn(label="Group by"),
        FOR_COUNTS,
    )

    @property
    def cells(self) -> int:
        return len(self._values)

    def cell_of(self, rows: SelectedRows) -> Indices:
        return rows.places(self.column)

    def names(self) -> list[Mapping[str, Any]]:
        return [{"of": {self.column: value}} for value in self._values]

    def asks(self) -> str:
        return f"How many rows are there in each group of {self.column}"

    @property
    def _values(self) -> tuple[str | None, ...]:
        return self.setting.values_of(self.column).values
