"""What happens to runs when their table is deleted.

Unreleased rows are deleted, with the key of the run. Released rows are kept: they have their own
terms. Values are removed from plans, and entries by values from reports; other figures are kept.
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
    """Delete the rows of unreleased runs, and the values in all plans and reports."""
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
    """Replace the plan by its published form or, without a release, by one without values."""
    plan = published or RunSubject.of(run.dataset).plan_without_values(run)
    run.plan, run.plan_files = plan, {}
    try:
        _hide_values(run, plan)
    except InvalidReport:
        # The report is too old for this engine to read. Deletion must not fail because of it.
        run.report, run.summary = None, describe_request(plan)


def _hide_values(run: Run, plan: Mapping[str, Any]) -> None:
    report, detail = run.report, run.summary.detail
    if report is None:
        run.summary = describe_request(plan)
        return
    run.report = hide_values_in_report(report, plan)
    run.summary = summarize_run(run.report, detail)


def _delete_other_attempts(run: Run) -> None:
    """Delete rows that a worker which died may have stored for an earlier attempt."""
    for attempt in range(run.attempt):
        transaction.on_commit(partial(vault.delete, f"{folder_of_run(run.id)}/{attempt}"))


def delete_results_left_over() -> int:
    """Delete files left behind by a crash between the database change and the deletion."""
    deleted = 0
    for folder, changed in vault.list_folders_of("runs"):
        run = Run.objects.filter(id=folder.removeprefix("runs/")).only("rows_deleted_at").first()
        is_lost = run is None and changed < time.time() - SECONDS_OF_A_DAY
        if is_lost or (run is not None and run.rows_deleted_at is not None):
            vault.delete(folder)
            deleted += 1
    return deleted
