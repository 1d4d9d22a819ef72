"""Work that survives: the row is the truth, the queue only carries its id.

A piece of work (reading a file, a run) is a row with a status. A worker *claims* it in one
conditional update and gets a lease; while it works, a thread renews the heartbeat, writes progress
and looks for the stop flag. The result is written with the row, in one transaction, and only while
the lease is still held. So of two workers that believe they own the same work, one loses its lease
and its result is dropped; a worker killed at any instant leaves a stale heartbeat, which the sweep
finds and hands out again. A worker that is told to stop hands its work back. Every piece of work
ends exactly once.
"""

import math
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType
from typing import Any, Generic, Self, TypeVar
from uuid import UUID, uuid4

from celery import Task
from django.conf import settings
from django.db import (
    DatabaseError,
    InterfaceError,
    OperationalError,
    connection,
    models,
    transaction,
)
from django.db.models import Q
from django.utils import timezone

from deid_portal.engine.errors import Cancelled
from deid_portal.vault.sealed_fields import sealed_values
from deid_portal.web.templatetags.numbers import duration_words
from deid_portal.work.limits import JobLimits, OverLimit, memory_used_mb
from deid_portal.work.queue import send
from deid_portal.work.timings import ExpectedTime
from deid_portal.work.workers import is_worker_stopping

LOOK_FOR_STOP_SECONDS = 0.25
# Work calls `progress` at least once a second; after this time without a call it is stuck.
STUCK_SECONDS = 5
STUCK_EXIT_CODE = 70
SECONDS_WORTH_SAYING = 2


class LeaseLost(Exception):  # noqa: N818
    """Another worker owns this work now; everything done by this attempt must be discarded."""


class WorkStatus(models.TextChoices):
    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"
    FAILED = "failed", "Failed"
    STOPPED = "stopped", "Stopped"


OPEN_STATUSES = (WorkStatus.QUEUED, WorkStatus.RUNNING)


class Work(models.Model):
    """Base of the models for pieces of work: status, attempts and heartbeat."""

    Status = WorkStatus

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    status = models.CharField(max_length=10, choices=WorkStatus, default=WorkStatus.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    # How many attempts ended because the worker was stopped; they do not count against the work.
    handed_back = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True)
    stop_requested = models.BooleanField(default=False)
    queued_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    phase = models.CharField(max_length=20, default="", blank=True)
    figures = models.JSONField(default=dict, blank=True)
    problem = models.TextField(default="", blank=True)

    class Meta:
        abstract = True

    @property
    def own_attempt(self) -> int:
        """The number of the attempt, not counting those ended by a restart of the portal."""
        return self.attempt - self.handed_back

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_STATUSES

    @property
    def is_stopping(self) -> bool:
        return self.is_open and self.stop_requested

    @property
    def is_silent(self) -> bool:
        """True if its worker has missed several heartbeats and may be dead."""
        if self.status != WorkStatus.RUNNING or self.heartbeat_at is None:
            return False
        silence = timezone.now() - self.heartbeat_at
        return silence.total_seconds() > 3 * max(settings.WORK_HEARTBEAT_SECONDS, 1)

    @property
    def elapsed_seconds(self) -> float:
        if self.started_at is None:
            return 0.0
        return ((self.finished_at or timezone.now()) - self.started_at).total_seconds()

    @property
    def expected_seconds(self) -> float | None:
        """What the work at hand was expected to take when it was begun."""
        return (self.figures or {}).get("expected")

    @property
    def time_words(self) -> str:
        """The time left of work under way; how long it has taken where that is not known."""
        if self.status != WorkStatus.RUNNING:
            return ""
        left = (self.expected_seconds or 0.0) - self.elapsed_seconds
        if left > 0:
            return f"{duration_words(left)} left"
        if self.elapsed_seconds < SECONDS_WORTH_SAYING:
            return ""
        longer = ", longer than usual" if self.expected_seconds else ""
        return f"{self.elapsed_seconds:.0f} s so far{longer}"


W = TypeVar("W", bound=Work)


@dataclass
class Lease(Generic[W]):
    """The right to do one piece of work, kept alive by a heartbeat thread.

    The engine calls `progress`, which raises Cancelled if a person stopped the work, LeaseLost if
    another worker took over and OverLimit if the work exceeds its limits. It runs no query; the
    thread has checked before. Work over its limits that does not call `progress` for a while is
    ended by `end_stuck`, together with its process, which is replaced.
    """

    work: W
    token: UUID
    limits: JobLimits = field(default_factory=JobLimits)
    end_stuck: Callable[[OverLimit], None] | None = None
    memory_mb: int = 0  # the maximum so far
    expectation: ExpectedTime | None = None
    _latest: dict[str, Any] = field(default_factory=dict)
    _stop_seen: bool = False
    _lost: bool = False
    _over: OverLimit | None = None

    def expect(self, expectation: ExpectedTime) -> None:
        """Tell who waits how long it will take; when it has finished, others learn from it."""
        self.expectation = expectation
        self.progress(0, 0, "")

    def progress(self, done: int, total: int, phase: str, **figures: Any) -> None:
        if self.expectation is not None:
            figures = {"expected": round(self.expectation.seconds, 2), **figures}
        finite = {name: value for name, value in figures.items() if _is_storable(value)}
        self._latest = {"done": done, "total": total, "phase": phase, "figures": finite}
        self.check()

    def check(self) -> None:
        if self._lost:
            raise LeaseLost
        if self._stop_seen:
            raise Cancelled("Stopped.")
        if self._over is not None:
            raise self._over

    def _held(self) -> models.QuerySet[W]:
        return _rows(type(self.work)).filter(
            id=self.work.id, lease=self.token, status=WorkStatus.RUNNING
        )

    def __enter__(self) -> Self:
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        # 0: the work runs inside a transaction, where a second writer would wait for ever.
        if settings.WORK_HEARTBEAT_SECONDS:
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        # The connection was idle during long work and may be closed; use a new one for the result.
        if not connection.in_atomic_block:
            connection.close()

    def _beat(self) -> None:
        beats_apart = max(1, round(settings.WORK_HEARTBEAT_SECONDS / LOOK_FOR_STOP_SECONDS))
        ticks = 0
        began = time.monotonic()
        written: dict[str, Any] = {}
        while not self._ended.wait(LOOK_FOR_STOP_SECONDS):
            ticks += 1
            if is_worker_stopping():
                self._hand_back()
                break
            self._look_at_limits(time.monotonic() - began)
            latest = self._latest
            try:
                if latest is not written or ticks % beats_apart == 0:
                    news = latest if latest is not written else {}
                    if not self._held().update(heartbeat_at=timezone.now(), **news):
                        self._lost = True
                        break
                    written = latest
                self._stop_seen = self._held().filter(stop_requested=True).exists()
            except DatabaseError:
                # A short outage of the database is tolerated; a long one makes the lease stale
                # anyway.
                connection.close()
        connection.close()

    def _hand_back(self) -> None:
        """Release the work for another worker, which starts it again; this one is shutting down.

        The number of the attempt is not reused: it is part of the names of files that this worker
        may still be writing.
        """
        self._lost = True
        with suppress(DatabaseError):  # the sweep finds it by its missing heartbeat
            self._held().update(
                status=WorkStatus.QUEUED,
                lease=None,
                sent_at=None,
                handed_back=models.F("handed_back") + 1,
            )
        connection.close()

    def _look_at_limits(self, elapsed: float) -> None:
        self.memory_mb = max(self.memory_mb, memory_used_mb())
        if self._over is None:
            self._over = self.limits.exceeded(elapsed)
            self._over_since = elapsed
        elif self.end_stuck and elapsed - self._over_since > STUCK_SECONDS:
            try:
                self.end_stuck(self._over)
            finally:
                os._exit(STUCK_EXIT_CODE)

    def finish(self, status: WorkStatus = WorkStatus.FINISHED, **values: Any) -> None:
        """Write the end of the work; call it inside the transaction that writes its results."""
        ended = self._held().update(
            status=status,
            lease=None,
            finished_at=timezone.now(),
            stop_requested=False,
            **sealed_values(self.work, values),
        )
        if not ended:
            raise LeaseLost
        if self.expectation is not None and status == WorkStatus.FINISHED:
            self.expectation.learn(self.work.elapsed_seconds)


def retry_while_unreachable(write: Callable[[], None]) -> None:
    """Write the end of the work, retrying while the database is unreachable.

    Retries last as long as the heartbeat may be missing; after that another worker has the work. If
    a write succeeded but its answer was lost, the retry finds no lease and changes nothing.
    """
    deadline = time.monotonic() + settings.WORK_STALE_SECONDS
    while True:
        try:
            return write()
        except (OperationalError, InterfaceError):
            if connection.in_atomic_block or time.monotonic() > deadline:
                raise
            connection.close()
            time.sleep(LOOK_FOR_STOP_SECONDS)


def _is_storable(figure: Any) -> bool:
    """Databases refuse infinity and NaN inside JSON."""
    return not isinstance(figure, float) or math.isfinite(figure)


def _rows(kind: type[W]) -> models.QuerySet[W]:
    rows: models.QuerySet[W] = kind._default_manager.all()
    return rows


def stale() -> Q:
    """Work whose worker missed so many heartbeats that it is considered dead."""
    limit = timezone.now() - timedelta(seconds=settings.WORK_STALE_SECONDS)
    return Q(status=WorkStatus.RUNNING, heartbeat_at__lt=limit)


def claimable() -> Q:
    """Work that a free worker may take: it waits, or its worker died and attempts are left."""
    few_enough = Q(attempt__lt=models.F("handed_back") + settings.WORK_ATTEMPTS)
    return (Q(status=WorkStatus.QUEUED) | stale()) & few_enough


def claim(kind: type[W], work_id: str) -> Lease[W] | None:
    """Claim a piece of work; None if it is done, stopped, or owned by a living worker."""
    token, now = uuid4(), timezone.now()
    claimed = (
        _rows(kind)
        .filter(claimable(), id=work_id)
        .update(
            status=WorkStatus.RUNNING,
            lease=token,
            attempt=models.F("attempt") + 1,
            started_at=now,
            heartbeat_at=now,
            # Every attempt starts from the beginning, so its progress does, too.
            done=0,
            total=0,
            phase="",
            figures={},
        )
    )
    return Lease(_rows(kind).get(id=work_id), token) if claimed else None


def claim_next(kind: type[W], find_next: Callable[[], UUID | None]) -> Lease[W] | None:
    """Claim the work whose turn it is; None if there is none.

    A message only says that there is work. Which is decided when a worker is free, so that the
    order can be fair and can change meanwhile, and any message serves any work. If another worker
    was faster, the next is looked up again, since the turn may have changed.
    """
    while (work_id := find_next()) is not None:
        lease = claim(kind, str(work_id))
        if lease is not None:
            return lease
    return None


def queue(work: W, task: Task) -> None:
    """Send the work's id to the queue after the surrounding transaction is in the database."""
    transaction.on_commit(lambda: _send(type(work), str(work.pk), task))


def _send(kind: type[W], work_id: str, task: Task) -> None:
    if send(task, work_id):
        _rows(kind).filter(id=work_id).update(sent_at=timezone.now())


def pick_up_forgotten(kind: type[W], task: Task, give_up: Callable[[W], None]) -> int:
    """Send work again that no living worker has: stale leases, unsent rows, lost messages.

    A message can be lost with its broker, or with a worker that was killed after taking it.
    Work whose workers died WORK_ATTEMPTS times is given up instead: most likely the work itself
    kills them. Sending twice is harmless, because claiming is one conditional update.
    """
    resend = timezone.now() - timedelta(seconds=settings.WORK_RESEND_SECONDS)
    unsent = Q(status=WorkStatus.QUEUED) & (Q(sent_at=None) | Q(sent_at__lt=resend))
    forgotten = list(_rows(kind).filter(stale() | unsent))
    for work in forgotten:
        if work.own_attempt >= settings.WORK_ATTEMPTS:
            give_up(work)
        else:
            _send(kind, str(work.pk), task)
    return len(forgotten)


def end_as_given_up(work: Work, problem: str) -> bool:
    """End work that kills its workers; False if a worker has claimed it meanwhile."""
    ended = (
        _rows(type(work))
        .filter(stale(), id=work.pk)
        .update(status=WorkStatus.FAILED, lease=None, finished_at=timezone.now(), problem=problem)
    )
    return bool(ended)


def request_stop(work: Work) -> bool:
    """Ask for the work to stop, and say whether it has: at once while it still waits.

    If it runs, its worker sees the request within a second.
    """
    rows = _rows(type(work)).filter(id=work.pk)
    waiting = rows.filter(status=WorkStatus.QUEUED)
    if waiting.update(status=WorkStatus.STOPPED, finished_at=timezone.now()):
        return True
    rows.filter(status=WorkStatus.RUNNING).update(stop_requested=True)
    return False
