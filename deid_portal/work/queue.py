"""Access to the queue: send ids, and check whether it is reachable."""

import time

from celery import Task
from kombu.exceptions import OperationalError

from deid_portal.celery_app import app

BROKER_ERRORS = (OperationalError, OSError)
LOOK_AGAIN_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 1.0
_looked: dict[str, float] = {}  # of this process: time and result of the last check


def is_queue_reachable() -> bool:
    """Say whether the queue is reachable; checked at most once a second, however many pages ask."""
    now = time.monotonic()
    if now - _looked.get("at", -LOOK_AGAIN_SECONDS) >= LOOK_AGAIN_SECONDS:
        _looked["at"] = now  # callers meanwhile get the last result instead of waiting, too
        _looked["reachable"] = _reach()
        _looked["at"] = time.monotonic()
    return bool(_looked.get("reachable", True))


def _reach() -> bool:
    # A queue that accepts connections but does not answer may delay a page less than a worker.
    options = {"socket_timeout": LONGEST_WAIT_SECONDS}  # other options as in the settings
    try:
        with app.connection_for_write(transport_options=options) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0, interval_max=0, timeout=1)
    except BROKER_ERRORS:
        return False
    return True


def send(task: Task, work_id: str) -> bool:
    """Queue a task; False if the queue is unreachable (the sweep sends it later)."""
    try:
        task.apply_async((work_id,))
    except BROKER_ERRORS:
        return False
    return True
