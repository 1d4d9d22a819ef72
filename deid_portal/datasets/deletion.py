"""Forgetting a table: its file, its columns and every value counted from them are deleted.

What must never happen: a table that is called deleted and can still be read. Its files lie under a
random key of their own, which is destroyed first (`vault/folder_keys.py`); rooms after this one
delete what they hold of it in the same transaction (`table_hooks.py`); files are deleted after the
commit, and an hourly task deletes what a crash in between left. Evidence is kept: names and roles
of columns, runs, reports, approvals, released packages, and the audit record.
"""

import time
from datetime import date, timedelta

from django.db import transaction
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_can_be_forgotten
from deid_portal.datasets.table_hooks import run_deletion_hooks
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused, refusal

SECONDS_OF_A_DAY = 24 * 3600
USUAL_DAYS = 365


def usual_deletion_day() -> date:
    """A year is enough for most purposes; who needs more says so."""
    return timezone.localdate() + timedelta(days=USUAL_DAYS)


@transaction.atomic
def forget_dataset(dataset: Dataset, forgotten_by: User | None) -> None:
    """Delete everything that holds a value; `forgotten_by` is None on the scheduled day."""
    locked = Dataset.objects.select_for_update().get(id=dataset.id)
    check_can_be_forgotten(locked)
    for column in locked.columns.all():
        column.profile = {}
        column.save(update_fields=["profile"])
    locked.state = Dataset.State.FORGOTTEN
    locked.detection = {}
    locked.table_id = None
    locked.save(update_fields=["state", "detection", "table_id", "changed_at"])
    also_deleted = run_deletion_hooks(locked)
    transaction.on_commit(lambda: vault.delete(locked.folder))
    record_event(
        "dataset.forgotten",
        actor=forgotten_by,
        team=locked.team,
        subject=locked,
        facts={
            "sha256": locked.file_sha256,
            "delete_on": str(locked.delete_on or ""),
            **also_deleted,
        },
    )


def forget_due_datasets(today: date | None = None) -> int:
    """Forget every dataset whose deletion day has come; one in use is forgotten later."""
    today = today or timezone.localdate()
    due = Dataset.objects.filter(delete_on__lte=today).exclude(state=Dataset.State.FORGOTTEN)
    forgotten = 0
    for dataset in due:
        if refusal(check_can_be_forgotten, dataset):
            continue
        try:
            forget_dataset(dataset, None)
        except Refused:  # work started meanwhile; retried in an hour
            continue
        forgotten += 1
    return forgotten


def delete_files_left_over() -> int:
    """Delete files that a crash between commit and deletion left."""
    deleted = 0
    for folder, changed in vault.list_folders_of("datasets"):
        dataset = Dataset.objects.filter(id=folder.removeprefix("datasets/")).first()
        # An upload that is being written has files before its row can be seen.
        is_lost = dataset is None and changed < time.time() - SECONDS_OF_A_DAY
        if is_lost or (dataset is not None and dataset.is_forgotten):
            vault.delete(folder)
            deleted += 1
    return deleted
