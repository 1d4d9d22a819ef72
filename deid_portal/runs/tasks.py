from deid_portal.celery_app import app
from deid_portal.datasets.tasks import pick_up_forgotten_readings
from deid_portal.networks.tasks import pick_up_forgotten_network_readings
from deid_portal.runs.execution import give_up_run, perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.on_deletion import delete_results_left_over
from deid_portal.runs.selectors import next_run_id
from deid_portal.sources.tasks import pick_up_forgotten_fetches
from deid_portal.work.leases import claim_next, pick_up_forgotten


@app.task
def execute_run(run_id: str) -> None:
    """Execute the run whose turn it is; the message only signals that one more is waiting."""
    lease = claim_next(Run, next_run_id)
    if lease is not None:
        perform_run(lease)


@app.task
def pick_up_forgotten_work() -> None:
    """Run every few seconds by the scheduler; safe to run concurrently."""
    pick_up_forgotten_fetches()
    pick_up_forgotten_readings()
    pick_up_forgotten_network_readings()
    pick_up_forgotten(Run, execute_run, give_up_run)


@app.task
def delete_results() -> None:
    """Run every hour by the scheduler."""
    delete_results_left_over()
