"""Counting worker processes, each of which writes a sign of life every few seconds.

Asking them through the queue would make every page wait for the answers.
"""

import mmap
import threading
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import DatabaseError, connection
from django.utils import timezone

from deid_portal.work.models import WorkerProcess

SIGN_SECONDS = 5
ALIVE_SECONDS = 3 * SIGN_SECONDS
# Shared with the forked worker processes, since only their parent gets the signal.
_stopping = mmap.mmap(-1, 1)


def count_workers() -> int:
    """Return the number of worker processes; a killed one is counted for a few seconds more."""
    since = timezone.now() - timedelta(seconds=ALIVE_SECONDS)
    return WorkerProcess.objects.filter(seen_at__gte=since).count()


def say_that_the_worker_stops(**_: object) -> None:
    """Signal handler: the worker shuts down, so all its processes hand their work back."""
    _stopping[0] = 1


def is_worker_stopping() -> bool:
    return bool(_stopping[0])


def say_that_we_work(**_: object) -> None:
    """Signal handler: start the thread that writes the sign of life of a worker process."""
    threading.Thread(target=_keep_saying, args=(uuid4(),), daemon=True).start()


def _keep_saying(process: UUID) -> None:
    paused = threading.Event()
    while True:
        try:
            _say(process)
        except DatabaseError:
            pass  # the next sign of life follows soon
        finally:
            connection.close()
        paused.wait(SIGN_SECONDS)


def _say(process: UUID) -> None:
    now = timezone.now()
    WorkerProcess.objects.update_or_create(id=process, defaults={"seen_at": now})
    WorkerProcess.objects.filter(seen_at__lt=now - timedelta(hours=1)).delete()
