"""How many processes are there to do work; each says every few seconds that it is.

Asking them through the queue would make every page wait for the answers. (Models are imported
inside: this is loaded with the queue, before Django is set up.)
"""

import mmap
import threading
from datetime import timedelta
from uuid import UUID, uuid4

from django.db import DatabaseError, connection
from django.utils import timezone

SIGN_SECONDS = 5
ALIVE_SECONDS = 3 * SIGN_SECONDS
# Shared with the processes that are forked to do the work: only their parent hears the signal.
_stopping = mmap.mmap(-1, 1)


def count_workers() -> int:
    """Return how many worker processes there are; a killed one is counted a little longer."""
    from deid_portal.work.models import WorkerProcess

    since = timezone.now() - timedelta(seconds=ALIVE_SECONDS)
    return WorkerProcess.objects.filter(seen_at__gte=since).count()


def say_that_the_worker_stops(**_: object) -> None:
    """Connected to the moment a worker is told to stop: all its processes hand their work back."""
    _stopping[0] = 1


def is_worker_stopping() -> bool:
    return bool(_stopping[0])


def say_that_we_work(**_: object) -> None:
    """Connected to the start of a worker process; ends with it."""
    threading.Thread(target=_keep_saying, args=(uuid4(),), daemon=True).start()


def _keep_saying(process: UUID) -> None:
    paused = threading.Event()
    while True:
        try:
            _say(process)
        except DatabaseError:
            pass  # it is said again in a moment
        finally:
            connection.close()
        paused.wait(SIGN_SECONDS)


def _say(process: UUID) -> None:
    from deid_portal.work.models import WorkerProcess

    now = timezone.now()
    WorkerProcess.objects.update_or_create(id=process, defaults={"seen_at": now})
    WorkerProcess.objects.filter(seen_at__lt=now - timedelta(hours=1)).delete()
