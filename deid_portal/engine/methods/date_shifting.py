"""Date shifting: all dates of a person moved by the same number of days."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import NOBODY, TableDraft
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.parameters import ColumnName, ColumnNames, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import ColumnType, find_date_format

Days = NDArray[np.int64]
Moments = NDArray[np.datetime64]
FIRST, LAST = np.datetime64(datetime.min, "s"), np.datetime64(datetime.max, "s")


@dataclass(frozen=True)
class DateShifting(ChangingMethod):
    """Dates move by 1 to `days` days either way, all dates of a person by the same number.

    `person` names the column that tells whose row it is; it may be an identifier that does not
    leave. Without it, and where its cell is missing, every row is a person of its own.
    """

    columns: tuple[str, ...]
    days: int
    person: str | None = None

    name: ClassVar[str] = "date-shifting"
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "Date shifting"
    cites: ClassVar[str] = (
        "G. Hripcsak et al., Preserving temporal relations in clinical data while maintaining "
        "privacy, JAMIA 23(6), 2016."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("columns"),
        Parameter(
            "days",
            start=30,
            minimum=1,
            maximum=36_500,
            whole=True,
            unusual_below=7,
            caution="Dates moved by at most {value} days are easily guessed back.",
        ),
        ColumnName("person", optional=True),
    )

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns, roles)
        if self.person is not None and self.person not in roles:
            place["person"].refuse("the name of a column of the plan is accepted.")

    def explain(self) -> str:
        whose = "of a person" if self.person else "of a row"
        return (
            f"All dates {whose} are moved by the same random number of days, at most {self.days} "
            f"either way: the time between them stays, the calendar does not."
        )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        shifts = self._shifts(draft, generator)
        for index, name in enumerate(self.columns):
            progress.report(index, len(self.columns), "protect")
            draft = draft.with_columns(_shift(draft.table[name], shifts))
        return draft.noting(days=self.days, person=self.person, columns=list(self.columns))

    def _shifts(self, draft: TableDraft, generator: np.random.Generator) -> Days:
        """Return the days to move each kept row by."""
        of_row = self._draw(draft.table.rows, generator)
        if self.person is None:
            return of_row
        if (draft.rows == NOBODY).any():
            raise InvalidPlan("method.person: records that were made up belong to nobody.")
        person = draft.problem.table[self.person]
        whose = person.codes[draft.rows]
        shifts = self._draw(len(person.values), generator)[whose]
        return shifts if person.gap is None else np.where(whose == person.gap, of_row, shifts)

    def _draw(self, count: int, generator: np.random.Generator) -> Days:
        """Draw from -days to days without 0, each equally likely."""
        draws = generator.integers(-self.days, self.days, count)
        return draws + (draws >= 0)


def _shift(column: Column, shifts: Days) -> Column:
    """Return the column with each date moved, in the form it had; the time of day stays."""
    form, moments = _moments(column)
    moved: Moments = moments[column.codes] + shifts * np.timedelta64(86_400, "s")
    present = ~np.isnat(moved)
    if ((moved < FIRST) | (moved > LAST))[present].any():
        raise InvalidPlan(
            f'method.days: some dates of the column "{column.name}" would leave the calendar; '
            f"choose fewer days or mend the column."
        )
    distinct, codes = np.unique(moved, return_inverse=True)
    texts = [None if np.isnat(moment) else _write(moment, form) for moment in distinct]
    return Column(column.name, ColumnType.DATE, codes.astype(np.int32), tuple(texts))


def _moments(column: Column) -> tuple[str, Moments]:
    """Return the form of the dates and the moment of each value, no moment for the gap."""
    used = [text for text, count in zip(column.values, column.counts, strict=True) if count]
    form = find_date_format([text for text in used if text is not None])
    if form is None:
        raise InvalidPlan(
            f'method.columns: the column "{column.name}" holds values that are no dates in one '
            f"form when this method comes to them; choose another column or put the method before "
            f"those that make the column coarser."
        )
    known = {text for text in used if text is not None}
    moments = [
        np.datetime64(datetime.strptime(text, form), "s") if text in known else np.datetime64("NaT")
        for text in column.values
    ]
    return form, np.array(moments, "datetime64[s]")


def _write(moment: np.datetime64, form: str) -> str:
    # strftime writes the year 33 as "33"; the four digits that reading needs are put in by hand.
    day: datetime = moment.astype(datetime)
    return day.strftime(form.replace("%Y", f"{day.year:04}"))
