from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.kinds import get_dataset_about_or_404
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import datasets_of_team
from deid_portal.engine import Table
from deid_portal.engine.files.file_format import FileFormat
from deid_portal.engine.files.table_reader import read_table
from deid_portal.engine.networks import Network as LinkedNodes
from deid_portal.engine.networks.files.link_header import Header
from deid_portal.engine.networks.files.reader import (
    NetworkFormat,
    detect_network,
    preview_network,
    read_network,
)
from deid_portal.engine.progress import ProgressCallback
from deid_portal.networks.models import NetworkReading
from deid_portal.networks.network_subject import NetworkSubject
from deid_portal.vault import vault
from deid_portal.work.limits import limits_of_file

SHOWN_CELLS = 6


def get_network_or_404(user: User, dataset_id: UUID) -> Dataset:
    return get_dataset_about_or_404(user, dataset_id, NetworkSubject)


def networks_of_team(user: User, team: Team) -> QuerySet[Dataset]:
    """Return the networks of a team, last changed first, without sealed fields."""
    networks = datasets_of_team(user, team).filter(kind__in=NetworkSubject.kinds())
    sealed = ("risk", "drawing", "story", "shape", "drift")
    return networks.select_related("network").defer(
        "drift", *(f"network__{name}" for name in sealed)
    )


def networks_to_continue(user: User, team: Team) -> list[Dataset]:
    """Return the networks whose next version could be uploaded now, by name."""
    read = (Dataset.State.READY, Dataset.State.FORGOTTEN)
    newest = networks_of_team(user, team).filter(state__in=read)
    return sorted(newest, key=lambda dataset: dataset.name.lower())


def latest_network_reading(dataset: Dataset) -> NetworkReading | None:
    return dataset.network_readings.first()


def open_network(dataset: Dataset, progress: ProgressCallback | None = None) -> LinkedNodes:
    """Read the files of a network again; a few seconds per million links."""
    with vault.open_reader(dataset.upload_file) as stream:
        return read_network(
            stream,
            NetworkFormat.from_document(dataset.file_format),
            directed=dataset.network.is_directed,
            nodes=_open_node_table(dataset),
            id_column=dataset.network.id_column or None,
            progress=progress,
        )


@dataclass(frozen=True)
class FirstLines:
    """The beginning of a file of links, and how its first line was detected."""

    rows: list[list[str]]
    has_header: bool
    is_guessed: bool
    guess: Header

    @property
    def reason(self) -> str:
        """Why the first line is read as a header or not, for the form field."""
        if self.has_header == self.guess.is_there:
            return f"Because {self.guess.reason}."
        return "Because you said so."


def open_first_lines(dataset: Dataset) -> FirstLines | None:
    """Return the first lines as they are read now; None for GraphML and for deleted files."""
    if dataset.is_forgotten:
        return None
    form = NetworkFormat.from_document(dataset.file_format)
    with vault.open_reader(dataset.upload_file) as stream:
        guess = detect_network(stream).header
        if guess is None:
            return None
        rows = [row[:SHOWN_CELLS] for row in preview_network(stream, form)]
    return FirstLines(rows, form.has_header, form.header_is_guessed, guess)


def _open_node_table(dataset: Dataset) -> Table | None:
    network = dataset.network
    if not network.has_node_table:
        return None
    with vault.open_reader(network.nodes_file) as stream:
        form = FileFormat.from_document(network.nodes_format)
        return read_table(stream, form, limits=limits_of_file())
