"""Facts about a table from its columns and taxonomies, without loading it."""

from math import prod

from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.engine import ColumnType
from deid_portal.plans.recommendation import TableFacts

NUMERIC = {ColumnType.INTEGER, ColumnType.NUMBER, ColumnType.DATE}


def facts_of(dataset: Dataset) -> TableFacts:
    columns = [c for c in dataset.columns.select_related("taxonomy") if c.is_quasi_identifier]
    return TableFacts(
        quasi_identifiers=len(columns),
        numeric=sum(column.type in NUMERIC for column in columns),
        combinations=prod(_height(column) + 1 for column in columns),
        facts_known=len(columns),
    )


def _height(column: DatasetColumn) -> int:
    taxonomy = getattr(column, "taxonomy", None)
    return 1 if taxonomy is None else int(taxonomy.height)


def guess_without_release(column: DatasetColumn, rows: int) -> float:
    """Return the share of the most frequent value of a column, the lower bound of any guess."""
    frequent = column.profile.get("most_frequent") or []
    largest = max([column.missing, *(count for _, count in frequent)])
    return largest / rows if rows else 0.0
