"""The box of jobs on the home page: running, waiting and recently failed ones of a team."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.db.models import Prefetch
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import has_role, roles_of
from deid_portal.runs.models import Run, Sweep, SweepMember
from deid_portal.runs.progress import describe_progress
from deid_portal.runs.queue_position import usual_run_seconds
from deid_portal.runs.selectors import failed_runs_of_team, open_runs_of_team, sweeps_at_work
from deid_portal.runs.services import check_can_retry_run
from deid_portal.web.refusals import refusal
from deid_portal.web.short_cache import cached_briefly
from deid_portal.work.leases import WorkStatus
from deid_portal.work.queue import is_queue_reachable
from deid_portal.work.workers import count_workers

JOBS_SHOWN = 6
FAILURES_SHOWN = 3
# Older failures are only in the list of runs.
FAILURES_SINCE = timedelta(days=1)


@dataclass(frozen=True)
class Job:
    """A run or a whole sweep, with its progress and the address to stop it."""

    id: UUID
    dataset_id: UUID
    name: str
    what: str
    url: str
    stop_url: str
    percent: int | None
    phase: str
    seconds_left: float | None = None
    standing: str = ""  # for the row of its dataset
    is_stopping: bool = False


@dataclass(frozen=True)
class Failure:
    run: Run
    can_be_retried: bool


@dataclass(frozen=True)
class Jobs:
    jobs: list[Job] = field(default_factory=list)
    more: int = 0
    failures: list[Failure] = field(default_factory=list)
    open_runs: int = 0
    waiting: int = 0
    workers: int = 0
    queue_is_away: bool = False
    can_stop: bool = False

    def of_datasets(self) -> dict[UUID, Job]:
        return {job.dataset_id: job for job in reversed(self.jobs)}


def glance_at_jobs(user: User, team: Team) -> Jobs:
    """Return the jobs for polling, cached per team and set of roles."""
    roles = "-".join(sorted(roles_of(user, team)))
    return cached_briefly(f"jobs-{team.pk}-{roles}", lambda: jobs_of(user, team))


def jobs_of(user: User, team: Team) -> Jobs:
    """Return the jobs of a team with four queries, two more while jobs are running."""
    in_a_sweep = SweepMember.objects.only("sweep_id", "run_id")
    runs = list(open_runs_of_team(user, team).prefetch_related(Prefetch("memberships", in_a_sweep)))
    failed = failed_runs_of_team(user, team, since=timezone.now() - FAILURES_SINCE)
    failures = [
        Failure(run, not refusal(check_can_retry_run, user, run)) for run in failed[:FAILURES_SHOWN]
    ]
    workers = count_workers()
    sweeps = {member.sweep_id for run in runs for member in run.memberships.all()}
    single = [run for run in runs if not run.memberships.all()]
    return Jobs(
        jobs=_describe(sweeps, single, workers)[:JOBS_SHOWN],
        more=max(len(sweeps) + len(single) - JOBS_SHOWN, 0),
        failures=failures,
        open_runs=len(runs),
        waiting=sum(run.status == WorkStatus.QUEUED for run in runs),
        workers=workers,
        queue_is_away=bool(runs) and not is_queue_reachable(),
        can_stop=has_role(user, team, Role.STEWARD),
    )


def _describe(sweeps: set[UUID], single: Iterable[Run], workers: int) -> list[Job]:
    """Describe sweeps, each as one job, then single runs, running ones first, up to the limit."""
    first = sorted(single, key=lambda run: run.status == WorkStatus.QUEUED)[:JOBS_SHOWN]
    jobs = [_describe_run(run) for run in first]
    return [*_describe_sweeps(sweeps, workers), *jobs] if sweeps else jobs


def _describe_run(run: Run) -> Job:
    progress = describe_progress(run)
    is_waiting = run.status == WorkStatus.QUEUED
    return Job(
        id=run.id,
        dataset_id=run.dataset_id,
        name=run.dataset.name,
        what=run.short_words or f"run {run.number}",
        url=reverse("runs:show", args=[run.id]),
        stop_url=reverse("runs:stop", args=[run.id]),
        percent=progress.percent,
        phase="Stopping" if run.is_stopping else progress.phase_label,
        seconds_left=progress.seconds_left,
        standing="Run waits for its turn" if is_waiting else f"Run at {progress.percent} %",
        is_stopping=run.is_stopping,
    )


def _describe_sweeps(sweep_ids: set[UUID], workers: int) -> list[Job]:
    usual = usual_run_seconds()
    return [_describe_sweep(sweep, usual, workers) for sweep in sweeps_at_work(sweep_ids)]


def _describe_sweep(sweep: Sweep, usual: float | None, workers: int) -> Job:
    total, still_open = sweep.total, sweep.open  # type: ignore[attr-defined]  # annotated
    ended = f"{total - still_open} of {total} runs"
    return Job(
        id=sweep.id,
        dataset_id=sweep.dataset_id,
        name=sweep.dataset.name,
        what=f"sweep {sweep.number}",
        url=reverse("reports:board", args=[sweep.dataset_id]),
        stop_url=reverse("runs:stop-sweep", args=[sweep.id]),
        percent=int(100 * (total - still_open) / total),
        phase=f"{ended} ended",
        seconds_left=usual * still_open / workers if usual and workers else None,
        standing=f"Sweep, {ended}",
    )
