"""Hooks by which later apps react, in the same transaction, when a table is added or deleted.

Apps depend on each other in one direction, so this app may not import later ones. They register
their functions here when Django starts (`ready` in their `apps.py`); the functions are called in
the order of INSTALLED_APPS.

On deletion, an app must delete everything it stores that holds values of the table. When a table is
the next version of another one, decisions about that one are carried over, in two steps: everything
slow is packed before the transaction, and unpacking only writes.
"""

from collections.abc import Callable

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine import Table
from deid_portal.engine.progress import ProgressCallback

# Deletes an app's data of a table and returns the counts for the audit record. Files are deleted
# after the transaction, with `transaction.on_commit`.
Forget = Callable[[Dataset], dict[str, int]]
# Arguments: the new dataset, whose columns are stored, and the person who had it read.
Unpack = Callable[[Dataset, User], None]
# Arguments: the dataset that is being read, its table, and a progress callback.
Pack = Callable[[Dataset, Table, ProgressCallback], Unpack]

_forgetters: list[Forget] = []
_packers: list[Pack] = []


def forget_with_the_table(forget: Forget) -> None:
    """Register a function to be called whenever a table is forgotten."""
    if forget not in _forgetters:
        _forgetters.append(forget)


def run_deletion_hooks(dataset: Dataset) -> dict[str, int]:
    counts: dict[str, int] = {}
    for forget in _forgetters:
        counts |= forget(dataset)
    return counts


def carry_to_the_next_version(pack: Pack) -> None:
    """Register a function to be called whenever the next version of a dataset was read."""
    if pack not in _packers:
        _packers.append(pack)


def pack_for_next_version(
    dataset: Dataset, table: Table, progress: ProgressCallback
) -> list[Unpack]:
    if dataset.previous is None:
        return []
    return [pack(dataset, table, progress) for pack in _packers]
