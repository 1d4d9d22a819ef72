from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404

from deid_portal.accounts.models import Team, User
from deid_portal.common import vault
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import datasets_of_team, get_dataset_or_404
from deid_portal.engine import Table
from deid_portal.engine.formats import FileFormat, read_table
from deid_portal.engine.networks import Network as LinkedNodes
from deid_portal.engine.networks.reading import NetworkFormat, read_network
from deid_portal.engine.progress import ProgressCallback
from deid_portal.networks.models import NetworkReading


def networks_of_team(user: User, team: Team) -> QuerySet[Dataset]:
    """Return the networks of a team, the last changed first, without what is sealed."""
    networks = datasets_of_team(user, team).filter(kind=Dataset.Kind.NETWORK)
    sealed = ("risk", "drawing", "story", "shape", "drift")
    return networks.select_related("network").defer(
        "drift", *(f"network__{name}" for name in sealed)
    )


def networks_to_continue(user: User, team: Team) -> list[Dataset]:
    """Return the networks whose next version could be uploaded now, by name."""
    read = (Dataset.State.READY, Dataset.State.FORGOTTEN)
    newest = networks_of_team(user, team).filter(state__in=read)
    return sorted(newest, key=lambda dataset: dataset.name.lower())


def get_network_or_404(user: User, dataset_id: UUID) -> Dataset:
    """Return a dataset that is a network; a table has no such page."""
    dataset = get_dataset_or_404(user, dataset_id)
    if not dataset.is_network:
        raise Http404
    return dataset


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


def _open_node_table(dataset: Dataset) -> Table | None:
    network = dataset.network
    if not network.has_node_table:
        return None
    with vault.open_reader(network.nodes_file) as stream:
        return read_table(stream, FileFormat.from_document(network.nodes_format))
