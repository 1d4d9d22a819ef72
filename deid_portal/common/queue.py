"""The way to the queue: hand over ids, and know whether it is there at all."""

import time

from celery import Task
from kombu.exceptions import OperationalError

from deid_portal.celery_app import app

BROKER_ERRORS = (OperationalError, OSError)
LOOK_AGAIN_SECONDS = 1.0
_looked: dict[str, float] = {}  # by this process: when, and what it found


def is_queue_reachable() -> bool:
    """Say whether messages can be left; asked at most once a second, however many pages poll."""
    now = time.monotonic()
    if now - _looked.get("at", 0.0) > LOOK_AGAIN_SECONDS:
        _looked.update(at=now, reachable=_reach())
    return bool(_looked["reachable"])


def _reach() -> bool:
    try:
        with app.connection_for_write() as connection:
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
