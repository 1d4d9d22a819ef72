"""The expected waiting time of a run, from the runs ahead of it and their usual duration."""

import heapq
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from django.utils import timezone

from deid_portal.runs.models import Run
from deid_portal.runs.progress import describe_progress
from deid_portal.runs.selectors import HEAVY
from deid_portal.runs.turns import WaitingRun
from deid_portal.web.short_cache import cached_briefly
from deid_portal.work.leases import WorkStatus
from deid_portal.work.workers import count_workers

RUNS_LOOKED_AT = 20
RUNS_SHOWN = 5
SECONDS_WORTH_NO_PAGE = 2.0
SECONDS_BETWEEN_LOOKS = 0.1
# All of it or nothing: a status of now beside a phase of then would show work that stands still.
WRITTEN_BY_WORKERS = (
    "status",
    "stop_requested",
    "attempt",
    "handed_back",
    "started_at",
    "heartbeat_at",
    "finished_at",
    "phase",
    "done",
    "total",
    "figures",
    "problem",
)


@dataclass(frozen=True)
class Wait:
    runs_ahead: int
    workers: int
    seconds: float | None  # None if no durations are known, or no worker is running


def describe_wait(run: Run, in_turn: Sequence[WaitingRun]) -> Wait:
    """Estimate the wait of a run; `in_turn` are all waiting runs, the next one first."""
    order = [waiting.id for waiting in in_turn]
    ahead = order.index(run.id) if run.id in order else 0
    workers = cached_briefly("workers", count_workers)
    usual = cached_briefly("usual-seconds", usual_run_seconds)
    if not workers or usual is None:
        return Wait(ahead, workers, None)
    running = Run.objects.filter(status=WorkStatus.RUNNING).defer(*HEAVY)
    left = [describe_progress(other).seconds_left for other in running]
    known = (usual if seconds is None else seconds for seconds in left)
    return Wait(ahead, workers, seconds_until_start(ahead, known, workers, usual))


@dataclass(frozen=True)
class QueueView:
    """The other waiting runs: those of the same team by name, others as a number."""

    runs: list[Run]
    more: int  # of the same team, not shown
    of_others: int


def describe_queue(run: Run, in_turn: Sequence[WaitingRun]) -> QueueView:
    """Return the queue with one query, or none if no other run of the team waits."""
    order = [waiting for waiting in in_turn if waiting.id != run.id]
    own = [waiting.id for waiting in order if waiting.team == run.dataset.team_id]
    shown = Run.objects.filter(id__in=own[:RUNS_SHOWN]).defer(*HEAVY).select_related("dataset")
    found = {other.id: other for other in shown} if own else {}
    runs = [found[run_id] for run_id in own if run_id in found]
    return QueueView(runs, len(own) - len(runs), len(order) - len(own))


def wait_briefly(run: Run) -> None:
    """Wait for a run that was just started, so that short runs need no progress page.

    Only if the run was sent to the queue, and for two seconds at most.
    """
    while run.is_open and run.sent_at is not None:
        if (timezone.now() - run.queued_at).total_seconds() > SECONDS_WORTH_NO_PAGE:
            return
        time.sleep(SECONDS_BETWEEN_LOOKS)
        run.refresh_from_db(fields=WRITTEN_BY_WORKERS)


def usual_run_seconds() -> float | None:
    """Return the median duration of recent runs."""
    finished = Run.objects.filter(status=WorkStatus.FINISHED, started_at__isnull=False)
    times = finished.order_by("-queued_at").values_list("started_at", "finished_at")
    took = [(end - start).total_seconds() for start, end in times[:RUNS_LOOKED_AT] if start and end]
    return median(took) if took else None


def seconds_until_start(
    ahead: int, running_left: Iterable[float], workers: int, usual: float
) -> float:
    """Simulate the workers taking the runs ahead; return when one is free for this run."""
    free_in = sorted(running_left)[:workers]
    free_in += [0.0] * (workers - len(free_in))
    heapq.heapify(free_in)
    for _ in range(ahead):
        heapq.heapreplace(free_in, free_in[0] + usual)
    return free_in[0]
