"""Changes between two versions of a table, computed while the new one is read."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from deid_portal.datasets.models import TYPE_LABELS, Dataset, DatasetColumn
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Column, Table
from deid_portal.engine.evidence.drift import (
    ColumnDrift,
    DriftVerdict,
    are_same_rows,
    measure_column_drift,
)
from deid_portal.engine.progress import ProgressCallback

PHASE = "compare"


@dataclass(frozen=True)
class ColumnChange:
    """One column, before and after; figures of a missing side are None.

    `bars` are [label, rows before, rows after]; labels are values of the table.
    """

    name: str
    position: int | None  # in the new version
    type_before: str | None = None
    type_after: str | None = None
    role_before: str = ""
    missing_before: int | None = None
    missing_after: int | None = None
    distinct_before: int | None = None
    distinct_after: int | None = None
    new_values: int = 0
    new_rows: int = 0
    gone_values: int = 0
    distance: float | None = None
    chance: float | None = None  # of comparisons before tests were made: what chance makes at most
    visible_from: float | None = None  # smaller changes would not be seen for sure
    shift: float | None = None  # of the mean, in the unit of the column or in days
    shift_unseen: float | None = None  # up to here a shift of the mean would not be seen for sure
    effect: float | None = None  # the shift in standard deviations
    moved: int | None = None  # rows that hold another value in their place, if rows are the same
    verdict: str = DriftVerdict.NOT_COMPARED.value
    bars: tuple[tuple[str | None, int, int], ...] = ()

    @property
    def is_new(self) -> bool:
        return self.type_before is None

    @property
    def is_gone(self) -> bool:
        return self.type_after is None

    @property
    def is_retyped(self) -> bool:
        return not self.is_new and not self.is_gone and self.type_before != self.type_after

    @property
    def type_label_before(self) -> str:
        return TYPE_LABELS.get(self.type_before or "", "")

    @property
    def type_label_after(self) -> str:
        return TYPE_LABELS.get(self.type_after or "", "")


@dataclass(frozen=True)
class Drift:
    """How a version differs from the one before it."""

    version_before: int
    rows_before: int
    rows_after: int
    columns: tuple[ColumnChange, ...]

    def to_document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "Drift":
        columns = (
            ColumnChange(**{**column, "bars": tuple(tuple(bar) for bar in column["bars"])})
            for column in document["columns"]
        )
        return cls(**{**document, "columns": tuple(columns)})

    def without_values(self) -> "Drift":
        """Return the comparison without values, to be kept when the table before is forgotten."""
        return replace(self, columns=tuple(replace(column, bars=()) for column in self.columns))


def compare_versions(before: Dataset, table: Table, progress: ProgressCallback) -> Drift:
    """Compare a table that was just read with an earlier version, column by column.

    Columns belong together by name. Values are compared where the earlier ones still exist and are
    of a comparable type; opens each column of the earlier version once.
    """
    earlier = {column.name: column for column in before.columns.all()}
    both = sum(column.name in earlier for column in table.columns)
    changes, drifts = [], {}
    for position, column in enumerate(table.columns):
        progress(position, len(table.columns), PHASE)
        old = earlier.pop(column.name, None)
        # A copy with its own cache: cached counts of all columns would need much memory.
        own = column.without_caches()
        change = _describe(old, own, position)
        changes.append(change)
        if old is not None and not before.is_forgotten and not change.is_retyped:
            drifts[position] = measure_column_drift(values_of(old), own, both)
    same_rows = are_same_rows(list(drifts.values()))
    for position, drift in drifts.items():
        told = drift.with_same_rows(table.rows) if same_rows else replace(drift, moved=None)
        changes[position] = _with_drift(changes[position], told)
    gone = [_describe_old(old) for old in earlier.values()]
    return Drift(before.version, before.rows, table.rows, (*changes, *gone))


def _describe(old: DatasetColumn | None, column: Column, position: int) -> ColumnChange:
    change = ColumnChange(column.name, position) if old is None else _describe_old(old)
    return replace(
        change,
        position=position,
        type_after=column.type.value,
        missing_after=column.missing,
        distinct_after=int((column.counts > 0).sum()) - bool(column.missing),
    )


def _with_drift(change: ColumnChange, drift: ColumnDrift) -> ColumnChange:
    found = drift.difference
    if found is not None:
        change = replace(
            change,
            distance=found.distance,
            visible_from=found.visible_from,
            shift=found.shift,
            shift_unseen=found.shift_unseen,
            effect=found.effect,
        )
    return replace(
        change,
        new_values=drift.new_values,
        new_rows=drift.new_rows,
        gone_values=drift.gone_values,
        moved=drift.moved,
        verdict=drift.verdict.value,
        bars=tuple((bar.label, bar.before, bar.after) for bar in drift.bars),
    )


def _describe_old(old: DatasetColumn) -> ColumnChange:
    return ColumnChange(
        old.name,
        None,
        type_before=old.type,
        role_before=old.role,
        missing_before=old.missing,
        distinct_before=old.distinct,
    )
