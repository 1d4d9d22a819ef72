"""The way to the queue: hand over ids, and know whether it is there at all."""

import time

from celery import Task
from kombu.exceptions import OperationalError

from deid_portal.celery_app import app

BROKER_ERRORS = (OperationalError, OSError)
LOOK_AGAIN_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 1.0
_looked: dict[str, float] = {}  # by this process: when, and what it found


def is_queue_reachable() -> bool:
    """Say whether messages can be left; asked at most once a second, however many pages poll."""
    now = time.monotonic()
    if now - _looked.get("at", -LOOK_AGAIN_SECONDS) >= LOOK_AGAIN_SECONDS:
        _looked["at"] = now  # who comes meanwhile takes the last answer and does not wait as well
        _looked["reachable"] = _reach()
        _looked["at"] = time.monotonic()
    return bool(_looked.get("reachable", True))


def _reach() -> bool:
    # A queue that takes the call and then says nothing must not hold up a page as long as it may
    # hold up a worker.
    options = {"socket_timeout": LONGEST_WAIT_SECONDS}  # the rest as set for all
    try:
        with app.connection_for_write(transport_options=options) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, interval_max=0, timeout=1)
    except BROKER_ERRORS:
        return False
    return True


def send(task: Task, work_id: str) -> bool:
    """Queue a task; False when the queue is away (the sweep sends it once the queue is back)."""
    try:
        task.apply_async((work_id,))
    except BROKER_ERRORS:
        return False
    return True
