"""Loading the data a question needs, columns of a table or a network, and answering it."""

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import values_of
from deid_portal.engine import Table
from deid_portal.engine.differential import PrivateAnswer, PrivateQuestion, answer
from deid_portal.engine.differential.answer import check_columns
from deid_portal.engine.networks import Network
from deid_portal.engine.networks.questions.answer import answer_about_network
from deid_portal.engine.networks.questions.people import check_network
from deid_portal.engine.networks.reader import NetworkKind
from deid_portal.engine.progress import ProgressCallback
from deid_portal.networks.selectors import open_network

Subject = Table | Network


def open_subject(
    dataset: Dataset, question: PrivateQuestion, progress: ProgressCallback
) -> Subject:
    """Load the data of a question; refuses if it was deleted."""
    if dataset.is_network:
        network = open_network(dataset, progress)
        check_network(network, question)
        return network
    table = _open_columns(dataset, question)
    check_columns(table, question)
    return table


def has_list_of_people(dataset: Dataset) -> bool:
    """Say whether a network has a list of people; depends on its files, not on people."""
    is_edges = dataset.file_format.get("kind") == NetworkKind.EDGES
    return bool(dataset.network.has_node_table or not is_edges)


def _open_columns(dataset: Dataset, question: PrivateQuestion) -> Table:
    """Return the columns that the question looks at, and the one that says who is who."""
    columns = list(dataset.columns.defer("profile").select_related("dataset"))
    # Counting everybody names no column; any column has the number of rows.
    chosen = [column for column in columns if column.name in question.columns] or columns[:1]
    return Table(tuple(values_of(column) for column in chosen), source_sha256=dataset.file_sha256)


def answer_about(
    subject: Subject, question: PrivateQuestion, progress: ProgressCallback
) -> PrivateAnswer:
    """Answer with noise; the caller must have charged the price."""
    if isinstance(subject, Network):
        return answer_about_network(subject, question, progress)
    return answer(subject, question, progress)
