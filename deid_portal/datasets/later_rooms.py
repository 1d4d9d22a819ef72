"""What rooms after this one do when a table goes, in the transaction that lets it go.

Data walks in one direction, so this room may not import the later ones. Whatever they keep that
holds values of a table they must be able to delete; they say so here when Django starts (`ready`
in their `apps.py`). Rooms are asked in the order of INSTALLED_APPS.
"""

from collections.abc import Callable

from deid_portal.datasets.models import Dataset

# Deletes what a room holds of a table and returns the counts that go into the audit record.
# Files are deleted after the transaction, with `transaction.on_commit`.
Forget = Callable[[Dataset], dict[str, int]]

_forgetters: list[Forget] = []


def forget_with_the_table(forget: Forget) -> None:
    """Have a function called whenever a table is forgotten."""
    if forget not in _forgetters:
        _forgetters.append(forget)


def forget_in_later_rooms(dataset: Dataset) -> dict[str, int]:
    counts: dict[str, int] = {}
    for forget in _forgetters:
        counts |= forget(dataset)
    return counts
