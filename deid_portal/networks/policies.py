"""In which state an action on a network is allowed, and what must be decided before a run."""

from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_is_ready
from deid_portal.web.refusals import Refused


def check_can_read_again(dataset: Dataset) -> None:
    if dataset.is_forgotten:
        raise Refused("The network was deleted; there is nothing left to read.")
    if dataset.state == Dataset.State.READING:
        raise Refused("The network is being read. Wait until it is, or stop the reading.")
    if dataset.runs.exists():
        raise Refused("This network has runs, so it can no longer be read differently.")


def check_attributes_decided(dataset: Dataset) -> None:
    """Every column of the node table needs a role; a network may have none at all."""
    if not dataset.is_ready and not dataset.is_forgotten:
        raise Refused("Wait until the network is read.")
    check_is_ready(dataset)
    undecided = sum(not column.role for column in dataset.columns.all())
    if undecided:
        columns = "1 column" if undecided == 1 else f"{undecided} columns"
        raise Refused(f"Decide what each column of the node table is first; {columns} still open.")


def check_network_protection_chosen(dataset: Dataset) -> None:
    check_attributes_decided(dataset)
    if getattr(dataset, "protection", None) is None:
        raise Refused("Choose a protection first.")
