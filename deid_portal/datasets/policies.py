"""Conditions on the state of a dataset for each action."""

from deid_portal.datasets.models import ColumnRoleChoices, Dataset
from deid_portal.web.refusals import Refused

FORGOTTEN = "The table was deleted; what was decided and found out about it stays on record."


def check_awaits_confirmation(dataset: Dataset) -> None:
    if dataset.state != Dataset.State.UPLOADED:
        raise Refused("This table was already kept; its file can no longer be read differently.")


def check_is_ready(dataset: Dataset) -> None:
    if dataset.is_forgotten:
        raise Refused(FORGOTTEN)
    if not dataset.is_ready:
        raise Refused("Look at the preview and keep the table first.")


def check_was_read(dataset: Dataset) -> None:
    """Require a dataset that was read; results stay when its values are deleted."""
    if not dataset.is_forgotten:
        check_is_ready(dataset)


def check_columns_decided(dataset: Dataset) -> None:
    check_is_ready(dataset)
    roles = [column.role for column in dataset.columns.all()]
    undecided = roles.count("")
    if undecided:
        columns = "1 column" if undecided == 1 else f"{undecided} columns"
        raise Refused(f"Decide what each column is first; {columns} still open.")
    if ColumnRoleChoices.QUASI_IDENTIFIER not in roles:
        raise Refused(
            "No column is a quasi-identifier, so there is nothing to protect. Tag at least one."
        )


def check_not_in_use(dataset: Dataset) -> None:
    """Refuse to discard a dataset with runs: it is evidence. Its columns may still change."""
    if dataset.state == Dataset.State.READING:
        raise Refused("The file is being read. Stop the reading first, then discard it.")
    if dataset.runs.exists():
        raise Refused("This dataset has runs, so it cannot be discarded.")
    if dataset.desk_terms.exists():
        raise Refused("This dataset was open for questions, so it cannot be discarded.")


def check_can_be_forgotten(dataset: Dataset) -> None:
    if dataset.is_forgotten:
        raise Refused(FORGOTTEN)
    if dataset.state == Dataset.State.READING:
        raise Refused("The file is being read. Stop the reading first, then delete it.")
    if any(run.is_open for run in dataset.runs.all()):
        raise Refused("A run is using the table. Stop it first, then delete the table.")


def check_can_be_continued(newest: Dataset) -> None:
    """Require that the version before was read and no other next version is in progress."""
    if newest.state == Dataset.State.UPLOADED:
        raise Refused(
            f"{newest.version_number} of {newest.name} still waits for its preview. "
            "Keep it or discard it first."
        )
    if newest.state == Dataset.State.READING:
        raise Refused(f"{newest.version_number} of {newest.name} is being read. Wait until it is.")
