"""Verifying the chain because somebody asked for it: background work that tells how far it is.

What was found is kept like the result of every other verification (verification.py).
"""

from django.db import transaction

from deid_portal.audit.models import ChainCheck
from deid_portal.audit.verification import verify_chain
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    OPEN_STATUSES,
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)
from deid_portal.work.timings import ExpectedTime

UNEXPECTED = "The verification ended because of a fault in the portal. Ask for it again."
NO_ROOM = "There was no room left on the disk to keep the result. Make room, then verify again."
WORKERS_DIED = "The worker broke off each time it verified the record."
SECONDS_AT_LEAST, SECONDS_PER_RECORD = 0.3, 1e-4


def open_check() -> ChainCheck | None:
    """Return the verification that waits or is at work."""
    return ChainCheck.objects.filter(status__in=OPEN_STATUSES).first()


def last_failed_check() -> ChainCheck | None:
    """Return the last verification asked for, if it came to nothing."""
    last = ChainCheck.objects.first()
    return last if last is not None and last.status == WorkStatus.FAILED else None


def perform_check(lease: Lease[ChainCheck], records: int) -> None:
    modelled = SECONDS_AT_LEAST + records * SECONDS_PER_RECORD
    with _endings(lease).applied():
        with lease:
            lease.expect(ExpectedTime("verification of the record", modelled))
            verify_chain(lease.progress)
        _end(lease, WorkStatus.FINISHED)


def _endings(lease: Lease[ChainCheck]) -> Endings:
    return Endings(
        stop=lambda: _end(lease, WorkStatus.STOPPED),
        fail=lambda problem: _end(lease, WorkStatus.FAILED, problem),
        drop=lambda: None,  # what it found is found again by whoever has it now
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
    )


def _end(lease: Lease[ChainCheck], status: WorkStatus, problem: str = "") -> None:
    @transaction.atomic
    def write() -> None:
        try:
            lease.finish(status, problem=problem)
        except LeaseLost:
            return

    retry_while_unreachable(write)


def give_up_check(check: ChainCheck) -> None:
    end_as_given_up(check, WORKERS_DIED)
