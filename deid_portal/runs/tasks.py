from deid_portal.celery_app import app
from deid_portal.common.work import claim, pick_up_forgotten
from deid_portal.datasets.tasks import pick_up_forgotten_readings
from deid_portal.runs.execution import give_up_run, perform_run
from deid_portal.runs.models import Run


@app.task
def execute_run(run_id: str) -> None:
    lease = claim(Run, run_id)
    if lease is not None:
        perform_run(lease)


@app.task
def pick_up_forgotten_work() -> None:
    """Sent every few seconds by the clock process; safe to run anywhere and any number of times."""
    pick_up_forgotten_readings()
    pick_up_forgotten(Run, execute_run, give_up_run)
