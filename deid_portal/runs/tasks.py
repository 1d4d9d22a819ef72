from deid_portal.celery_app import app
from deid_portal.runs.execution import give_up_run, perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.on_deletion import delete_results_left_over
from deid_portal.runs.selectors import next_run_id
from deid_portal.work.leases import claim_next, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep


@app.task
def execute_run(run_id: str) -> None:
    """Execute the run whose turn it is; the message only signals that one more is waiting."""
    lease = claim_next(Run, next_run_id)
    if lease is not None:
        perform_run(lease)


@in_every_sweep
def pick_up_forgotten_runs() -> None:
    pick_up_forgotten(Run, execute_run, give_up_run)


@app.task
def delete_results() -> None:
    """Run every hour by the scheduler."""
    delete_results_left_over()
