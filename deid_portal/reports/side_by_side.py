"""Original and released rows next to each other, for the stewards of a dataset.

Needs the original row of each released record (`runs/origins.py`), so it is there as long as the
table and the run's own copy of the release are. Nothing of it is stored, logged or sent further;
that somebody looked is put on record by `services.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np
from django.core.paginator import Page, Paginator
from numpy.typing import NDArray

from deid_portal.datasets.selectors import table_of
from deid_portal.engine import Table
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.table import Codes, Column
from deid_portal.engine.wording.words import value_words
from deid_portal.runs.models import Run
from deid_portal.runs.origins import origins_of

ROWS_PER_PAGE = 25
NO_ROW = -1
PSEUDONYM = "(pseudonym)"
Rows = NDArray[np.intp]


class RowChoice(StrEnum):
    """Which rows a page shows."""

    RELEASED = "released"
    LEFT_OUT = "left-out"


class CellChange(StrEnum):
    """What became of a cell; the value is its class on the page."""

    SAME = "same"
    COARSER = "coarser"
    HIDDEN = "hidden"
    OTHER = "other"
    REMOVED = "removed"


CHANGE_WORDS = {
    CellChange.SAME: "as it was",
    CellChange.COARSER: "made coarser",
    CellChange.HIDDEN: "hidden",
    CellChange.OTHER: "another value",
    CellChange.REMOVED: "not in the release",
}


@dataclass(frozen=True)
class PairedCell:
    before: str
    after: str
    change: CellChange
    is_released: bool  # whether the release has this column


@dataclass(frozen=True)
class PairedRow:
    """A row before and after; `group` numbers the look-alikes it is among, 0 if left out."""

    group: int
    size: int
    begins_group: bool
    cells: list[PairedCell]


@dataclass(frozen=True)
class PairedColumn:
    name: str
    is_released: bool


@dataclass(frozen=True, eq=False)
class PairedTables:
    """The table as it came and as it leaves; groups are numbered from the smallest."""

    original: Table
    released: Table
    origins: Codes  # original row of each released record, NO_ROW if it was made up
    columns: Mapping[str, ColumnReport]
    groups: Codes  # number of the group of each released record
    pseudonyms: frozenset[str]

    @classmethod
    def of(cls, run: Run) -> PairedTables | None:
        """Open both; None if they are not kept any more, or do not belong together."""
        origins, report = origins_of(run), run.finished_report
        if origins is None or run.input_sha256 != run.dataset.file_sha256:
            return None
        if len(origins.rows) != report.rows.released or origins.released.rows != len(origins.rows):
            return None
        plan = run.frozen_table_plan()
        return cls(
            original=table_of(run.dataset),
            released=origins.released,
            origins=origins.rows,
            columns=report.columns,
            groups=_number_groups(origins.released, report.columns),
            pseudonyms=frozenset(own.name for own in plan.columns if own.is_pseudonym),
        )

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of records per group; the first entry is of nobody."""
        return np.bincount(self.groups, minlength=1).astype(np.int64)

    @property
    def group_count(self) -> int:
        return len(self.sizes) - 1

    @cached_property
    def left_out(self) -> Rows:
        """Return the original rows that are not in the release."""
        stays = np.zeros(self.original.rows, np.bool_)
        stays[self.origins[self.origins != NO_ROW]] = True
        return np.flatnonzero(~stays)

    @property
    def shown_columns(self) -> list[PairedColumn]:
        made = [name for name in self.released.names if name not in self.original]
        return [
            *(PairedColumn(name, name in self.released) for name in self.original.names),
            *(PairedColumn(name, True) for name in made),
        ]

    def released_in_order(self, group: int = 0) -> Rows:
        """Return the released records group by group, or those of one group."""
        if group:
            return np.flatnonzero(self.groups == group)
        return np.argsort(self.groups, kind="stable")

    def pair(self, records: Rows) -> Iterator[PairedRow]:
        """Give these released records, each beside its original row."""
        before = 0
        for record in records.tolist():
            group = int(self.groups[record])
            cells = [
                self._pair_cell(column.name, int(self.origins[record]), record)
                for column in self.shown_columns
            ]
            yield PairedRow(group, int(self.sizes[group]), group != before, cells)
            before = group

    def pair_left_out(self, rows: Rows) -> Iterator[PairedRow]:
        for row in rows.tolist():
            cells = [self._pair_cell(column.name, row, None) for column in self.shown_columns]
            yield PairedRow(0, 0, begins_group=False, cells=cells)

    def _pair_cell(self, name: str, row: int, record: int | None) -> PairedCell:
        has_original = row != NO_ROW and name in self.original
        before = _cell(self.original[name], row) if has_original else ""
        is_released = name in self.released
        if record is None or not is_released:
            return PairedCell(before, "", CellChange.REMOVED, is_released)
        if name in self.pseudonyms:
            # The way back from a pseudonym is a look-up, which asks for a reason.
            return PairedCell(before, PSEUDONYM, CellChange.OTHER, is_released)
        after = _cell(self.released[name], record)
        return PairedCell(before, after, self._change(name, before, after), is_released)

    def _change(self, name: str, before: str, after: str) -> CellChange:
        column = self.columns.get(name)
        if column is not None and column.is_hidden:
            return CellChange.HIDDEN
        if before == after:
            return CellChange.SAME
        is_coarsened = column is not None and column.role == "quasi-identifier"
        return CellChange.COARSER if is_coarsened else CellChange.OTHER


def _cell(column: Column, row: int) -> str:
    return value_words(column.texts[int(column.packed[row])])


def _number_groups(released: Table, columns: Mapping[str, ColumnReport]) -> Codes:
    """Number the records that look alike in all quasi-identifiers, from 1, the smallest first."""
    names = [
        name
        for name, column in columns.items()
        if column.role == "quasi-identifier" and name in released
    ]
    alike = reduce_table(released, names, (), Progress(None))
    order = np.argsort(alike.counts, kind="stable")
    numbers = np.empty(len(order), np.int32)
    numbers[order] = np.arange(1, len(order) + 1, dtype=np.int32)
    return numbers[alike.pattern_of_row]


@dataclass(frozen=True)
class SideBySide:
    """A page of pairs, with what was chosen on it."""

    choice: RowChoice
    group: int  # 0: all of them
    group_count: int
    group_size: int
    left_out: int
    columns: list[PairedColumn]
    rows: list[PairedRow]
    page: Page[int]
    query: str

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Return what the colors mean."""
        return [(change.value, words) for change, words in CHANGE_WORDS.items()]


def view_side_by_side(run: Run, asked: Mapping[str, str]) -> SideBySide | None:
    """Return a page of rows before and after; None if they cannot be put together any more."""
    tables = PairedTables.of(run)
    if tables is None:
        return None
    choice = RowChoice.LEFT_OUT if asked.get("rows") == RowChoice.LEFT_OUT else RowChoice.RELEASED
    wanted = asked.get("group", "")
    group = int(wanted) if wanted.isdecimal() and len(wanted) < 10 else 0
    group = group if group <= tables.group_count and choice == RowChoice.RELEASED else 0
    is_left_out = choice == RowChoice.LEFT_OUT
    places = tables.left_out if is_left_out else tables.released_in_order(group)
    page = Paginator(places, ROWS_PER_PAGE).get_page(asked.get("page"))
    pair = tables.pair_left_out if is_left_out else tables.pair
    return SideBySide(
        choice=choice,
        group=group,
        group_count=tables.group_count,
        group_size=int(tables.sizes[group]) if group else 0,
        left_out=len(tables.left_out),
        columns=tables.shown_columns,
        rows=list(pair(np.asarray(page.object_list, np.intp))),
        page=page,
        query=f"&rows={choice}" + (f"&group={group}" if group else ""),
    )
