from deid_portal.celery_app import app
from deid_portal.work.sweep import pick_up_all_work


@app.task
def pick_up_forgotten_work() -> None:
    """Sent every few seconds by the clock process; safe to run anywhere and any number of times."""
    pick_up_all_work()
