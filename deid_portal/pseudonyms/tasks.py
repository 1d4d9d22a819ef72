from deid_portal.celery_app import app
from deid_portal.pseudonyms.services import destroy_unneeded_keys


@app.task
def destroy_retired_keys() -> None:
    """Run every hour by the scheduler."""
    destroy_unneeded_keys()
