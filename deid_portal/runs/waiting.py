"""How long a run will have to wait: what is ahead of it, and how long that usually takes."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from deid_portal.common.work import Status
from deid_portal.common.workers import count_workers
from deid_portal.runs.models import Run
from deid_portal.runs.progress import describe_progress
from deid_portal.runs.selectors import HEAVY, waiting_in_turn

RUNS_LOOKED_AT = 20


@dataclass(frozen=True)
class Wait:
    runs_ahead: int
    workers: int
    seconds: float | None  # None when nothing is known, or when nobody is there to work


def describe_wait(run: Run) -> Wait:
    order = [waiting.id for waiting in waiting_in_turn()]
    ahead = order.index(run.id) if run.id in order else 0
    workers = count_workers()
    usual = usual_seconds()
    if not workers or usual is None:
        return Wait(ahead, workers, None)
    running = Run.objects.filter(status=Status.RUNNING).defer(*HEAVY)
    left = [describe_progress(other).seconds_left for other in running]
    known = (usual if seconds is None else seconds for seconds in left)
    return Wait(ahead, workers, seconds_until_start(ahead, known, workers, usual))


def usual_seconds() -> float | None:
    """Return how long runs took lately; half of them took longer."""
    finished = Run.objects.filter(status=Status.FINISHED, started_at__isnull=False)
    times = finished.order_by("-queued_at").values_list("started_at", "finished_at")
    took = [(end - start).total_seconds() for start, end in times[:RUNS_LOOKED_AT] if start and end]
    return median(took) if took else None


def seconds_until_start(
    ahead: int, running_left: Iterable[float], workers: int, usual: float
) -> float:
    """Let the workers take one run after the other, and see when one is free for this one."""
    free_in = sorted(running_left)[:workers]
    free_in += [0.0] * (workers - len(free_in))
    heapq.heapify(free_in)
    for _ in range(ahead):
        heapq.heapreplace(free_in, free_in[0] + usual)
    return free_in[0]
