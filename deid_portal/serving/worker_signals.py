"""What a worker does when it starts, when it forks the processes that work, and when it ends."""

from celery.signals import worker_init, worker_process_init, worker_shutting_down

from deid_portal.engine.tether import tie_every_fork
from deid_portal.serving.readiness import (
    step_back_for_the_pages,
    stop_unready_worker,
    warm_up_before_work,
    warm_up_the_rest,
)
from deid_portal.work.workers import say_that_the_worker_stops, say_that_we_work


def connect_worker_signals() -> None:
    """Connect in this order, in which Celery calls them; connecting twice changes nothing."""
    worker_init.connect(stop_unready_worker)
    # Else a pool process in the middle of a task outlives a killed worker, and the task runs twice.
    worker_init.connect(tie_every_fork)
    # What follows holds for the pool processes, too, which are forked then.
    worker_init.connect(step_back_for_the_pages)
    # The compiled loops are made or loaded before the first task, not while somebody waits for it.
    worker_init.connect(warm_up_before_work)
    worker_process_init.connect(warm_up_the_rest)
    worker_process_init.connect(say_that_we_work)
    worker_shutting_down.connect(say_that_the_worker_stops)
