from deid_portal.celery_app import app
from deid_portal.sources.fetch_job import give_up_fetch, perform_fetch
from deid_portal.sources.models import Fetch
from deid_portal.work.leases import claim, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep


@app.task
def fetch_table(fetch_id: str) -> None:
    lease = claim(Fetch, fetch_id)
    if lease is not None:
        perform_fetch(lease)


@in_every_sweep
def pick_up_forgotten_fetches() -> None:
    pick_up_forgotten(Fetch, fetch_table, give_up_fetch)
