"""Which ending a piece of work takes, by what went wrong inside it."""

import errno
from collections.abc import Callable

import pytest
from django.db import InterfaceError, OperationalError

from deid_portal.engine.errors import Cancelled, InvalidTable
from deid_portal.work.endings import Endings
from deid_portal.work.leases import LeaseLost

Ended = list[str]


def endings_that_note(ended: Ended) -> Endings:
    def note(word: str) -> Callable[[], None]:
        return lambda: ended.append(word)

    return Endings(
        stop=note("stopped"),
        fail=ended.append,
        drop=note("dropped"),
        unexpected="a fault in the portal",
        no_room="no room",
    )


@pytest.mark.parametrize(
    ("error", "ending"),
    [
        (Cancelled(), "stopped"),
        (LeaseLost(), "dropped"),
        (InvalidTable("The table has no rows."), "The table has no rows."),
        (OSError(errno.ENOSPC, "No space left on device"), "no room"),
    ],
)
def test_what_is_expected_ends_the_work(error: Exception, ending: str) -> None:
    ended: Ended = []
    with endings_that_note(ended).applied():
        raise error
    assert ended == [ending]


def test_a_fault_ends_the_work_and_reaches_the_log() -> None:
    ended: Ended = []
    with pytest.raises(ZeroDivisionError), endings_that_note(ended).applied():
        raise ZeroDivisionError
    assert ended == ["a fault in the portal"]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_goes_away_leaves_the_work_to_the_sweep(error: type[Exception]) -> None:
    ended: Ended = []
    with pytest.raises(error), endings_that_note(ended).applied():
        raise error("server closed the connection unexpectedly")
    assert not ended
