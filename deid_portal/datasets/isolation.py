"""How many rows become unique by one column, for the panel beside the table."""

from collections.abc import Sequence
from dataclasses import dataclass

from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn
from deid_portal.datasets.selectors import isolation_of


@dataclass(frozen=True)
class IsolationFigures:
    """Shares of unique rows; `is_in`: the column is one of the quasi-identifiers."""

    columns: int  # quasi-identifiers: decided, or suggested and still open
    is_in: bool
    together: float | None = None  # with all of them; None until counted
    without: float | None = None  # without the column, if it is one of them
    with_it: float | None = None  # with the column as well, if it is not
    rows: int | None = None  # rows sampled


def quasi_positions(columns: Sequence[DatasetColumn]) -> frozenset[int]:
    """Return the quasi-identifiers: those decided, and open columns with that suggestion."""
    return frozenset(
        column.position
        for column in columns
        if (column.role or column.suggestion.get("role")) == ColumnRoleChoices.QUASI_IDENTIFIER
    )


def isolation_figures(
    columns: Sequence[DatasetColumn], column: DatasetColumn
) -> IsolationFigures | None:
    """Return what was counted when the table was read, if the quasi-identifiers are the same."""
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
    """Count for the present quasi-identifiers."""
    known = quasi_positions(columns)
    found = isolation_of(dataset, known | {column.position})
    without = found.without[column.position]
    if column.position in known:
        return IsolationFigures(len(known), True, found.together, without, rows=found.rows)
    return IsolationFigures(len(known), False, without, with_it=found.together, rows=found.rows)
