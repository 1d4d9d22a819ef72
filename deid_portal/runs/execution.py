"""Perform a run: open the table, call the engine, keep the answer. Ends exactly once."""

from typing import Any, BinaryIO, cast

from django.db import transaction

from deid_portal.audit.services import record_event
from deid_portal.common import vault
from deid_portal.common.work import Lease, LeaseLost, Status, end_as_given_up
from deid_portal.datasets.pseudonyms import pseudonym_key_of
from deid_portal.datasets.selectors import table_of
from deid_portal.engine import ENGINE_VERSION, Cancelled, EngineError, Outcome, Plan, protect
from deid_portal.engine.publishing import publish_plan
from deid_portal.engine.writing import write_csv
from deid_portal.runs.models import Run
from deid_portal.runs.origins import keep_origins

UNEXPECTED = (
    "The run ended because of a fault in the portal. Nothing was released; your plan is kept."
)
WORKERS_DIED = (
    "The worker stopped each time it tried this run, most likely for want of memory. "
    "Use fewer quasi-identifiers, or ask for a larger machine; your plan is kept."
)


def perform_run(lease: Lease[Run]) -> None:
    try:
        with lease:
            plan = lease.work.frozen_plan()
            outcome = _protect(lease, plan)
            stored = _store(lease, plan, outcome)
    except LeaseLost:
        return
    except Cancelled:
        _end(lease, Status.STOPPED, "run.stopped")
    except EngineError as error:
        _end(lease, Status.FAILED, "run.failed", problem=str(error))
    except Exception:
        _end(lease, Status.FAILED, "run.failed", problem=UNEXPECTED)
        raise
    else:
        _end(
            lease,
            Status.FINISHED,
            "run.finished",
            solution=outcome.solution,
            report={**outcome.report, **outcome.details},  # sealed; a release takes less along
            engine_version=ENGINE_VERSION,
            **stored,
        )


def _protect(lease: Lease[Run], plan: Plan) -> Outcome:
    run = lease.work
    lease.progress(0, 1, "read")
    table = table_of(run.dataset)
    return protect(table, plan, lease.progress, pseudonym_key=pseudonym_key_of(run.dataset.team))


def _store(lease: Lease[Run], plan: Plan, outcome: Outcome) -> dict[str, Any]:
    if outcome.released is None:
        return {}
    lease.progress(0, 1, "store")
    with vault.VaultWriter(lease.work.release_file) as writer:
        write_csv(outcome.released, cast(BinaryIO, writer))
        lease.check()
    keep_origins(lease.work, outcome)
    levels = outcome.report["transformation"]["levels"]
    published, files = publish_plan(plan, outcome.released, levels)
    texts = {name: content.decode() for name, content in files.items()}
    return {
        "output_sha256": writer.sha256,
        "output_bytes": writer.size,
        "published": {"plan": published.to_document(), "files": texts},
    }


@transaction.atomic
def _end(lease: Lease[Run], status: Status, action: str, **values: Any) -> None:
    run = lease.work
    try:
        lease.finish(status, **values)
    except LeaseLost:
        return
    run.dataset.save(update_fields=["changed_at"])
    facts = {"attempt": run.attempt}
    if "output_sha256" in values:
        facts["output_sha256"] = values["output_sha256"]
    record_event(action, actor=run.started_by, team=run.dataset.team, subject=run, facts=facts)


@transaction.atomic
def give_up_run(run: Run) -> None:
    if end_as_given_up(run, WORKERS_DIED):
        record_event("run.failed", actor=run.started_by, team=run.dataset.team, subject=run)
