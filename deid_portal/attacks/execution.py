"""Performs an attack: opens release and original, attacks, tries remedies. Ends exactly once.

An outside table is deleted when its test has ended, however it ended. If the worker dies between
end and deletion, a periodic task deletes it (`outside.delete_spent_tables`).
"""

from typing import Any

from django.conf import settings
from django.db import transaction

from deid_portal.attacks.attack_hooks import run_hooks_of_ended_attack
from deid_portal.attacks.estimates import expect_attack
from deid_portal.attacks.models import AttackTest
from deid_portal.attacks.outside import delete_table
from deid_portal.attacks.subjects import AttackedSubject
from deid_portal.audit.services import record_event
from deid_portal.engine import Cancelled, EngineError
from deid_portal.web.refusals import Refused
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)
from deid_portal.work.limits import JobLimits

UNEXPECTED = "The attack ended because of a fault in the portal. The run is not touched by it."
NO_ROOM = (
    "There was no room left on the disk. Ask the administrator to make room, then attack again."
)
WORKERS_DIED = (
    "The worker broke off each time it tried this attack. Where the machine was not switched off, "
    "it most likely had too little memory: ask for a larger one. The run is not touched by it."
)


def perform_attack(lease: Lease[AttackTest]) -> None:
    limits = lease.limits = attack_limits()
    lease.end_stuck = lambda over: _fail(lease, str(over))
    with _endings(lease).applied():
        with lease, limits.refusing_too_much():
            lease.expect(expect_attack(lease.work.attack, lease.work.run.dataset))
            result = _attack(lease)
        _end(lease, WorkStatus.FINISHED, "attack.finished", result=result)


def _attack(lease: Lease[AttackTest]) -> dict[str, Any]:
    try:
        summary = AttackedSubject.of(lease.work.run.dataset).attack(lease)
        return summary.to_document()
    except Cancelled:
        raise
    except (EngineError, Refused) as reason:
        # An attack that is not possible is a result, with the reason.
        return {"reason": str(reason)}


def _endings(lease: Lease[AttackTest]) -> Endings:
    return Endings(
        stop=lambda: _end(lease, WorkStatus.STOPPED, "attack.stopped"),
        fail=lambda problem: _fail(lease, problem),
        drop=lambda: None,  # an attempt stores nothing before its end
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
        limits=lease.limits,
    )


def attack_limits() -> JobLimits:
    words = "The run is not touched by it; ask for a larger machine, or let fewer people be tried."
    return JobLimits(
        settings.RUN_MEMORY_MB, settings.RUN_MINUTES, memory_words=words, minutes_words=words
    )


def _fail(lease: Lease[AttackTest], problem: str) -> None:
    _end(lease, WorkStatus.FAILED, "attack.failed", problem=problem)


def _end(lease: Lease[AttackTest], status: WorkStatus, action: str, **values: Any) -> None:
    """Write the end, the audit record and the deletion of an outside table in one transaction."""

    @transaction.atomic
    def write() -> None:
        try:
            lease.finish(status, **values)
        except LeaseLost:
            return
        _record_end(lease.work, action)

    retry_while_unreachable(write)


def _record_end(test: AttackTest, action: str) -> None:
    if test.outside is not None:
        delete_table(test.outside)
    record_event(
        action,
        actor=test.asked_by,
        team=test.run.dataset.team,
        subject=test.run,
        facts={"attack": test.attack, "output_sha256": test.output_sha256},
    )
    run_hooks_of_ended_attack(test)


@transaction.atomic
def give_up_attack(test: AttackTest) -> None:
    if end_as_given_up(test, WORKERS_DIED):
        _record_end(test, "attack.failed")
