"""What becomes of runs when their table is forgotten.

Rows that nobody released are deleted, with the key of the run. Released rows stay: they are handed
over on terms of their own. Plans lose every value they name, and reports everything that is told by
values; the numbers stay.
"""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from deid_portal.datasets.models import Dataset
from deid_portal.engine.errors import InvalidReport
from deid_portal.engine.publication import hide_values_in_report
from deid_portal.runs.models import Run
from deid_portal.runs.subjects import RunSubject
from deid_portal.runs.summaries import describe_request, summarize_run
from deid_portal.vault import vault

SECONDS_OF_A_DAY = 24 * 3600


def forget_results(dataset: Dataset) -> dict[str, int]:
    """Delete the rows of runs that were never released, and the values in the plans of all."""
    deleted = 0
    for run in dataset.runs.all():
        is_released = run.requests.filter(release__isnull=False).exists()
        _forget_values(run, run.publication.plan if is_released else None)
        if is_released:
            _delete_other_attempts(run)
        else:
            deleted += run.has_release
            run.published = None
            run.rows_deleted_at = timezone.now()
            transaction.on_commit(partial(vault.delete, folder_of_run(run.id)))
        run.secret = None
        kept = ["plan", "plan_files", "report", "summary", "published", "rows_deleted_at", "secret"]
        run.save(update_fields=kept)
    return {"results": deleted}


def folder_of_run(run_id: UUID | str) -> str:
    return f"runs/{run_id}"


def _forget_values(run: Run, published: Mapping[str, Any] | None) -> None:
    """Leave the plan as it was released or, if it was not, without any value."""
    plan = published or RunSubject.of(run.dataset).plan_without_values(run)
    run.plan, run.plan_files = plan, {}
    try:
        _hide_values(run, plan)
    except InvalidReport:
        # Today's engine no longer reads it. That must not keep anything from being deleted.
        run.report, run.summary = None, describe_request(plan)


def _hide_values(run: Run, plan: Mapping[str, Any]) -> None:
    report, detail = run.report, run.summary.detail
    if report is None:
        run.summary = describe_request(plan)
        return
    run.report = hide_values_in_report(report, plan)
    run.summary = summarize_run(run.report, detail)


def _delete_other_attempts(run: Run) -> None:
    """A worker that died may have left rows under the number of its attempt."""
    for attempt in range(run.attempt):
        transaction.on_commit(partial(vault.delete, f"{folder_of_run(run.id)}/{attempt}"))


def delete_results_left_over() -> int:
    """Delete files that a crash between a decision and its carrying out has left behind."""
    deleted = 0
    for folder, changed in vault.list_folders_of("runs"):
        run = Run.objects.filter(id=folder.removeprefix("runs/")).only("rows_deleted_at").first()
        is_lost = run is None and changed < time.time() - SECONDS_OF_A_DAY
        if is_lost or (run is not None and run.rows_deleted_at is not None):
            vault.delete(folder)
            deleted += 1
    return deleted
