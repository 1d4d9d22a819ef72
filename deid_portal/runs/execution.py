"""Performs a run: opens the table, calls the engine, stores the result. It ends exactly once."""

from typing import Any

from django.conf import settings
from django.db import transaction

from deid_portal.audit.services import record_event
from deid_portal.engine import ENGINE_VERSION
from deid_portal.runs.chance import destroy_secret
from deid_portal.runs.models import Run
from deid_portal.runs.notifications import tell_that_it_ended
from deid_portal.runs.origins import delete_origins
from deid_portal.runs.subjects import RunSubject
from deid_portal.runs.summaries import summarize_run
from deid_portal.runs.ways_back import StoredWayBack, delete_way_back_of, enter_way_back
from deid_portal.vault import vault
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)
from deid_portal.work.limits import JobLimits

NO_ROOM = (
    "There was no room left to store the result. Nothing was released; your plan is kept. "
    "Ask the administrator to make room, then retry."
)
UNEXPECTED = (
    "The run ended because of a fault in the portal. Nothing was released; your plan is kept. "
    "Retry; if it fails again, tell the administrator the time and the number of the run."
)
WORKERS_DIED = (
    "The worker broke off each time it tried this run. Where the machine was not switched off, it "
    "most likely had too little memory: use fewer quasi-identifiers, or ask for a larger machine. "
    "Your plan is kept; you can retry."
)


def perform_run(lease: Lease[Run]) -> None:
    limits = lease.limits = run_limits()
    lease.end_stuck = lambda over: _fail(lease, str(over))
    with _endings(lease).applied():
        with lease, limits.refusing_too_much():
            carried_out = RunSubject.of(lease.work.dataset).carry_out(lease)
        outcome, stored = carried_out.outcome, carried_out.stored
        report = outcome.full_report  # stored sealed; only a part of it is published
        _end(
            lease,
            WorkStatus.FINISHED,
            "run.finished",
            solution=outcome.solution,
            report=report,
            summary=summarize_run(report, stored.published.detail if stored else None),
            engine_version=ENGINE_VERSION,
            way_back=carried_out.way_back,
            **(vars(stored) if stored else {}),
        )


def _endings(lease: Lease[Run]) -> Endings:
    return Endings(
        stop=lambda: _end(lease, WorkStatus.STOPPED, "run.stopped"),
        fail=lambda problem: _fail(lease, problem),
        drop=lambda: delete_dead_attempts(lease.work),
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
        limits=lease.limits,
    )


def run_limits() -> JobLimits:
    return JobLimits(
        settings.RUN_MEMORY_MB,
        settings.RUN_MINUTES,
        memory_words="Use fewer quasi-identifiers or taxonomies with fewer levels. "
        "Nothing was released; your plan is kept.",
        minutes_words="Use fewer quasi-identifiers, or a method that does not look at every "
        "combination, such as Mondrian or top-down. Nothing was released; your plan is kept.",
    )


def _fail(lease: Lease[Run], problem: str) -> None:
    _end(lease, WorkStatus.FAILED, "run.failed", problem=problem)


def _end(
    lease: Lease[Run],
    status: WorkStatus,
    action: str,
    way_back: StoredWayBack | None = None,
    **values: Any,
) -> None:
    retry_while_unreachable(lambda: _write_end(lease, status, action, way_back, values))


@transaction.atomic
def _write_end(
    lease: Lease[Run],
    status: WorkStatus,
    action: str,
    way_back: StoredWayBack | None,
    values: dict[str, Any],
) -> None:
    run = lease.work
    try:
        lease.finish(status, secret=None, **values)
    except LeaseLost:
        delete_dead_attempts(run)
        return
    transaction.on_commit(lambda: delete_dead_attempts(run))
    run.dataset.save(update_fields=["changed_at"])
    facts = {"attempt": run.attempt}
    if "output_sha256" in values:
        facts["output_sha256"] = values["output_sha256"]
    record_event(action, actor=run.started_by, team=run.dataset.team, subject=run, facts=facts)
    if way_back is not None:
        enter_way_back(run, way_back)
    tell_that_it_ended(run, status, solution=values.get("solution"))


@transaction.atomic
def give_up_run(run: Run) -> None:
    if end_as_given_up(run, WORKERS_DIED):
        destroy_secret(run)
        transaction.on_commit(lambda: delete_dead_attempts(run))
        record_event("run.failed", actor=run.started_by, team=run.dataset.team, subject=run)
        tell_that_it_ended(run, WorkStatus.FAILED)


def delete_dead_attempts(run: Run) -> None:
    """Delete the files of failed attempts; idempotent.

    While the latest attempt is running or has succeeded, only older ones are deleted. The status is
    read again: after a lost connection this process may have ended the run without noticing.
    """
    now = Run.objects.only("status", "attempt").get(id=run.id)
    living = {now.attempt} if now.is_open or now.status == WorkStatus.FINISHED else set()
    for attempt in set(range(1, now.attempt + 1)) - living:
        vault.delete(run.attempt_folder(attempt))
        delete_origins(run, attempt)
        delete_way_back_of(run, attempt)
