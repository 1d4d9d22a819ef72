"""What one column adds to the danger of all others, in figures for the panel beside the table."""

from collections.abc import Sequence
from dataclasses import dataclass

from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.datasets.selectors import isolation_of


@dataclass(frozen=True)
class IsolationFigures:
    """Shares of one-of-a-kind rows; `is_in` says whether the column counts among the others."""

    columns: int  # quasi-identifiers: decided, or suggested and still open
    is_in: bool
    together: float | None = None  # with all of them; None while nobody has counted
    without: float | None = None  # without the column, if it is one of them
    with_it: float | None = None  # with the column as well, if it is not
    rows: int | None = None  # how many were looked at


def quasi_positions(columns: Sequence[DatasetColumn]) -> frozenset[int]:
    """Return what counts as known to others now: decided so, or open and suggested so."""
    return frozenset(
        column.position
        for column in columns
        if (column.role or column.suggestion.get("role")) == ColumnRoleChoices.QUASI_IDENTIFIER
    )


def describe_isolation(
    columns: Sequence[DatasetColumn], column: DatasetColumn
) -> IsolationFigures | None:
    """Say what was counted when the table was read, if the same columns still count."""
    known = quasi_positions(columns)
    counted = column.suggestion.get("isolation")
    at_reading = {one.position for one in columns if one.suggestion.get("isolation")}
    if not known or (column.role or column.suggestion.get("role")) == ColumnRoleChoices.IDENTIFIER:
        return None
    if counted and known == at_reading:
        return IsolationFigures(len(known), True, counted["together"], counted["without"])
    return IsolationFigures(len(known), column.position in known)


def count_isolation(
    dataset: Dataset, columns: Sequence[DatasetColumn], column: DatasetColumn
) -> IsolationFigures:
    """Count for the columns as they are decided now."""
    known = quasi_positions(columns)
    found = isolation_of(dataset, known | {column.position})
    without = found.without[column.position]
    if column.position in known:
        return IsolationFigures(len(known), True, found.together, without, rows=found.rows)
    return IsolationFigures(len(known), False, without, with_it=found.together, rows=found.rows)
