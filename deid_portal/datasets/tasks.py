from deid_portal.celery_app import app
from deid_portal.datasets.deletion import delete_files_left_over, forget_due_datasets
from deid_portal.datasets.models import Reading
from deid_portal.datasets.piecewise_upload import give_up_old_uploads
from deid_portal.datasets.reading_job import give_up_reading, perform_reading
from deid_portal.notices.expiry import forget_old_notices
from deid_portal.vault import vault
from deid_portal.work.leases import claim, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep


@app.task
def read_dataset(reading_id: str) -> None:
    lease = claim(Reading, reading_id)
    if lease is not None:
        perform_reading(lease)


@in_every_sweep
def pick_up_forgotten_readings() -> None:
    pick_up_forgotten(Reading, read_dataset, give_up_reading)


@app.task
def delete_leftovers() -> None:
    """Run every hour by the scheduler; a day is longer than any upload takes.

    Also deletes tables on their deletion day, and old notices.
    """
    forget_old_notices()
    give_up_old_uploads()
    forget_due_datasets()
    delete_files_left_over()
    vault.delete_leftovers(older_than_seconds=24 * 3600)
