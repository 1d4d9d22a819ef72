"""Forgetting a table: its file, its columns and every value counted from them are deleted.

Each stored file has a key of its own, derived from random bytes in its first line; with the file
these are gone, so no key opens what a backup of the disk might still hold of it. What stays is the
evidence: names and roles of columns, runs, reports, approvals, and the audit record of this.
"""

from datetime import date

from django.db import transaction
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.common import vault
from deid_portal.common.refusals import Refused, refusal
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_can_be_forgotten


@transaction.atomic
def forget_dataset(dataset: Dataset, forgotten_by: User | None) -> None:
    """Delete everything that holds a value; nobody is named when its day has come by itself."""
    locked = Dataset.objects.select_for_update().get(id=dataset.id)
    check_can_be_forgotten(locked)
    for column in locked.columns.all():
        column.profile = {}
        column.save(update_fields=["profile"])
    locked.state = Dataset.State.FORGOTTEN
    locked.detection = {}
    locked.table_id = None
    locked.save(update_fields=["state", "detection", "table_id", "changed_at"])
    folder = f"datasets/{locked.id}"
    transaction.on_commit(lambda: vault.delete(folder))
    record_event(
        "dataset.forgotten",
        actor=forgotten_by,
        team=locked.team,
        subject=locked,
        facts={"sha256": locked.file_sha256, "delete_on": str(locked.delete_on or "")},
    )


def forget_due_datasets(today: date | None = None) -> int:
    """Forget every dataset whose day has come; one that is at work is forgotten later."""
    today = today or timezone.localdate()
    due = Dataset.objects.filter(delete_on__lte=today).exclude(state=Dataset.State.FORGOTTEN)
    forgotten = 0
    for dataset in due:
        if refusal(check_can_be_forgotten, dataset):
            continue
        try:
            forget_dataset(dataset, None)
        except Refused:  # work began in between; the next hour comes
            continue
        forgotten += 1
    return forgotten
