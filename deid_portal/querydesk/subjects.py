"""What the query desk asks of a dataset: open it for a question, and have the question answered."""

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import values_of
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine import Table
from deid_portal.engine.differential import PrivacySetting, PrivateAnswer, PrivateQuestion, answer
from deid_portal.engine.differential.answer import check_columns
from deid_portal.engine.networks.files.reader import NetworkKind
from deid_portal.engine.networks.questions import NetworkSetting
from deid_portal.engine.networks.questions.answer import answer_about_network
from deid_portal.engine.networks.questions.people import check_network
from deid_portal.engine.progress import ProgressCallback
from deid_portal.networks.selectors import open_network
from deid_portal.web.refusals import Refused

# Draws the noise; whoever calls has paid for it.
OpenedSubject = Callable[[PrivateQuestion, ProgressCallback], PrivateAnswer]


class AskedSubject(SubjectPart):
    tiles: ClassVar[tuple[str, ...]]  # the common kinds of questions, shown at once

    @abstractmethod
    def open(self, question: PrivateQuestion, progress: ProgressCallback) -> OpenedSubject:
        """Open what a question looks at; refuses what is no longer there."""

    @abstractmethod
    def check_setting(self, setting: PrivacySetting) -> None:
        """Refuse a protection of something that the dataset does not have."""


class AskedTable(AskedSubject, kind=SubjectKind.TABLE):
    tiles = ("count", "mean", "histogram", "most-common")

    def open(self, question: PrivateQuestion, progress: ProgressCallback) -> OpenedSubject:
        table = self._open_columns(question)
        check_columns(table, question)
        return partial(answer, table)

    def _open_columns(self, question: PrivateQuestion) -> Table:
        """Return the columns that the question looks at, and the one that says who is who."""
        columns = list(self.dataset.columns.defer("profile").select_related("dataset"))
        # Counting everybody names no column; any one knows how many there are.
        chosen = [column for column in columns if column.name in question.columns] or columns[:1]
        cells = tuple(values_of(column) for column in chosen)
        return Table(cells, source_sha256=self.dataset.file_sha256)

    def check_setting(self, setting: PrivacySetting) -> None:
        if isinstance(setting, NetworkSetting):
            raise Refused("Links can only be protected in a network; this is a table.")


class AskedNetwork(AskedSubject, kind=SubjectKind.NETWORK):
    tiles = ("links", "people-with-links", "degree-histogram", "average-links")

    def open(self, question: PrivateQuestion, progress: ProgressCallback) -> OpenedSubject:
        network = open_network(self.dataset, progress)
        check_network(network, question)
        return partial(answer_about_network, network)

    def check_setting(self, setting: PrivacySetting) -> None:
        if not isinstance(setting, NetworkSetting):
            raise Refused("Say whether links or people are protected; this is a network.")
        if setting.is_listed and not has_list_of_people(self.dataset):
            raise Refused("This network has no list of people; only those with a link count.")


def has_list_of_people(dataset: Dataset) -> bool:
    """Say whether a network has a list of people; depends on its files, not on people."""
    is_edges = dataset.file_format.get("kind") == NetworkKind.EDGES
    return bool(dataset.network.has_node_table or not is_edges)


def open_subject(
    dataset: Dataset, question: PrivateQuestion, progress: ProgressCallback
) -> OpenedSubject:
    return AskedSubject.of(dataset).open(question, progress)


def answer_about(
    subject: OpenedSubject, question: PrivateQuestion, progress: ProgressCallback
) -> PrivateAnswer:
    return subject(question, progress)
