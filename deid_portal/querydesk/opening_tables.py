"""Open what a question is about, and nothing else of the table."""

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Table
from deid_portal.engine.differential import Question


def open_columns(dataset: Dataset, question: Question) -> Table:
    """Return the columns that the question looks at, and the one that says who is who."""
    columns = list(dataset.columns.defer("profile").select_related("dataset"))
    # Counting everybody names no column; any one knows how many there are.
    chosen = [column for column in columns if column.name in question.columns] or columns[:1]
    return Table(tuple(values_of(column) for column in chosen), source_sha256=dataset.file_sha256)
