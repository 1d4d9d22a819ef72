"""What rooms after this one do when a table comes or goes, in the transaction that writes it.

Data walks in one direction, so this room may not import the later ones. They say here, when Django
starts (`ready` in their `apps.py`), what belongs to it. Rooms are asked in the order of
INSTALLED_APPS.

A table goes: whatever a room keeps that holds values of it must be deleted with it.
A table comes as the next version of another: what was decided about that one is carried over. That
takes two steps. Everything slow is packed before the transaction; unpacking only writes.
"""

from collections.abc import Callable

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine import Table
from deid_portal.engine.progress import ProgressCallback

# Deletes what a room holds of a table and returns the counts that go into the audit record.
# Files are deleted after the transaction, with `transaction.on_commit`.
Forget = Callable[[Dataset], dict[str, int]]
# Given the new dataset, whose columns are written, and who had it read.
Unpack = Callable[[Dataset, User], None]
# Given the dataset that is being read, its table, and a progress callback to keep people informed.
Pack = Callable[[Dataset, Table, ProgressCallback], Unpack]

_forgetters: list[Forget] = []
_packers: list[Pack] = []


def forget_with_the_table(forget: Forget) -> None:
    """Have a function called whenever a table is forgotten."""
    if forget not in _forgetters:
        _forgetters.append(forget)


def forget_in_later_rooms(dataset: Dataset) -> dict[str, int]:
    counts: dict[str, int] = {}
    for forget in _forgetters:
        counts |= forget(dataset)
    return counts


def carry_to_the_next_version(pack: Pack) -> None:
    """Have a function called whenever the next version of a dataset was read."""
    if pack not in _packers:
        _packers.append(pack)


def pack_in_later_rooms(dataset: Dataset, table: Table, progress: ProgressCallback) -> list[Unpack]:
    if dataset.previous is None:
        return []
    return [pack(dataset, table, progress) for pack in _packers]
