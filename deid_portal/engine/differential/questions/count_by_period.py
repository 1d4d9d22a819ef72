"""How many rows fall into each month, quarter or year of a declared period."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.differential.fields import DateColumn, Field, OneOf
from deid_portal.engine.differential.noise.noise import FOR_COUNTS
from deid_portal.engine.differential.questions.cells_question import CellsQuestion
from deid_portal.engine.differential.selection.domains import LEFT_OUT, DateDomain, Indices
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.taxonomies.dates import label_of

MONTHS = {"month": 1, "quarter": 3, "year": 12}
DAY_ONE = date(1970, 1, 1).toordinal()


@dataclass(frozen=True)
class CountByPeriod(CellsQuestion):
    """All periods from the first day declared to the last; the first and last may be cut short."""

    column: str
    unit: str

    kind: ClassVar[str] = "count-by-period"
    label: ClassVar[str] = "How many over time"
    tile: ClassVar[str] = "One number for every month, quarter or year, for the price of one"
    fields: ClassVar[tuple[Field, ...]] = (
        DateColumn(label="Date"),
        OneOf(
            name="unit",
            label="Per",
            choices=tuple(MONTHS),
            labels=("per month", "per quarter", "per year"),
        ),
        FOR_COUNTS,
    )

    @property
    def domain(self) -> DateDomain:
        return self.setting.period_of(self.column)

    @property
    def cells(self) -> int:
        return self._period_of(self.domain.last) - self._period_of(self.domain.first) + 1

    def cell_of(self, rows: SelectedRows) -> Indices:
        days = self.domain.numbers_of(rows.table[self.column])
        is_day = rows.chosen & ~np.isnan(days)
        since = np.where(is_day, days, DAY_ONE).astype(np.int64) - DAY_ONE
        months = since.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) + 1970 * 12
        cells = months // MONTHS[self.unit] - self._period_of(self.domain.first)
        return np.where(is_day, cells, LEFT_OUT)

    def names(self) -> list[Mapping[str, Any]]:
        start, months = self._period_of(self.domain.first), MONTHS[self.unit]
        found = [divmod((start + place) * months, 12) for place in range(self.cells)]
        labels = [label_of(date(year, month + 1, 1), self.unit) for year, month in found]
        return [{"of": {self.column: label}} for label in labels]

    def asks(self) -> str:
        return f"How many rows are there in each {self.unit} of {self.column}"

    def _period_of(self, day: date) -> int:
        return (day.year * 12 + day.month - 1) // MONTHS[self.unit]
