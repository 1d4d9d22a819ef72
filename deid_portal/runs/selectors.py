from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Case, Count, Exists, Max, OuterRef, Q, QuerySet, When
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Team, User
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import visible_datasets
from deid_portal.runs.models import Run, Sweep, SweepMember
from deid_portal.runs.turns import Share, WaitingRun, in_turn
from deid_portal.work.leases import OPEN_STATUSES, WorkStatus, claimable, stale

# Sealed documents needed by single pages only; lists of runs must not decrypt them.
HEAVY = ("plan", "plan_files", "report", "published", "summary", "secret")


def visible_runs(user: User) -> QuerySet[Run]:
    return Run.objects.filter(dataset__in=visible_datasets(user)).select_related(
        "dataset__team", "started_by", "based_on"
    )


def get_run_or_404(user: User, run_id: UUID) -> Run:
    runs = visible_runs(user).defer(*(f"based_on__{name}" for name in HEAVY))
    return get_object_or_404(runs, id=run_id)


def get_light_run_or_404(user: User, run_id: UUID) -> Run:
    """Fetch a run without its documents, for pages that are polled every second."""
    return get_object_or_404(_light(visible_runs(user)), id=run_id)


def runs_of(dataset: Dataset) -> QuerySet[Run]:
    return _light(dataset.runs.select_related("started_by", "based_on"))


def runs_for_board(dataset: Dataset) -> QuerySet[Run]:
    """Return the runs that have finished or are open, with their summaries."""
    shown = dataset.runs.filter(status__in=(*OPEN_STATUSES, WorkStatus.FINISHED))
    heavy = [name for name in HEAVY if name != "summary"]
    return shown.select_related("based_on").defer(*heavy, *(f"based_on__{name}" for name in HEAVY))


def _light(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Defer the sealed documents, also those of the run that a variant is based on."""
    return runs.defer(*HEAVY, *(f"based_on__{name}" for name in HEAVY))


def open_runs_of_team(user: User, team: Team) -> QuerySet[Run]:
    """Return the waiting and running runs of a team, for the box of running jobs.

    It is polled every two seconds and can be long, so only the columns needed are loaded.
    """
    runs = Run.objects.filter(
        dataset__in=visible_datasets(user), dataset__team=team, status__in=OPEN_STATUSES
    )
    own = (
        "number",
        "status",
        "stop_requested",
        "short_words",
        "queued_at",
        "started_at",
        "finished_at",
    )
    progress = ("done", "total", "phase", "figures")
    return (
        runs.select_related("dataset").only(*own, *progress, "dataset__name").order_by("queued_at")
    )


def failed_runs_of_team(user: User, team: Team, since: datetime) -> QuerySet[Run]:
    """Return the runs that failed since then and have no later run on the same dataset."""
    later = Run.objects.filter(dataset=OuterRef("dataset"), number__gt=OuterRef("number"))
    failed = visible_runs(user).filter(
        ~Exists(later), dataset__team=team, status=WorkStatus.FAILED, finished_at__gte=since
    )
    return _light(failed).order_by("-finished_at")


def waiting_in_turn() -> list[WaitingRun]:
    """Return the claimable runs of all teams, the next one first."""
    waiting = Run.objects.filter(claimable()).values_list(
        "id",
        "dataset__team_id",
        "queued_at",
        "priority",
        "moved_ahead_at",
        Case(When(status=WorkStatus.RUNNING, then=True), default=False),
    )
    found = [WaitingRun(*row) for row in waiting]
    return in_turn(found, _shares({run.team for run in found}))


def _shares(teams: set[UUID]) -> dict[UUID, Share]:
    rows = (
        Run.objects.filter(dataset__team__in=teams, started_at__isnull=False)
        .order_by()
        .values("dataset__team_id")
        .annotate(
            running=Count("id", filter=Q(status=WorkStatus.RUNNING) & ~stale()),
            last_turn=Max("started_at"),
        )
    )
    return {
        row["dataset__team_id"]: Share(row["running"], row["last_turn"].timestamp()) for row in rows
    }


def next_run_id() -> UUID | None:
    waiting = waiting_in_turn()
    return waiting[0].id if waiting else None


def sweeps_of(dataset: Dataset) -> QuerySet[Sweep]:
    """Return the sweeps of a dataset, with the numbers of their ended and open runs."""
    return _counted(dataset.sweeps.select_related("started_by"))


def sweeps_at_work(sweep_ids: Iterable[UUID]) -> QuerySet[Sweep]:
    sweeps = Sweep.objects.filter(id__in=sweep_ids).select_related("dataset")
    return _counted(sweeps.defer("dataset__drift")).order_by("started_at")


def _counted(sweeps: QuerySet[Sweep]) -> QuerySet[Sweep]:
    return sweeps.annotate(
        total=Count("members"),
        open=Count("members", filter=Q(members__run__status__in=OPEN_STATUSES)),
        finished=Count("members", filter=Q(members__run__status=WorkStatus.FINISHED)),
        stoppable=Count(
            "members",
            filter=Q(
                members__is_new=True,
                members__run__status__in=OPEN_STATUSES,
                members__run__stop_requested=False,
            ),
        ),
    )


def open_sweeps_of(dataset: Dataset) -> list[Sweep]:
    at_work = SweepMember.objects.filter(run__status__in=OPEN_STATUSES).values("sweep")
    return list(sweeps_of(dataset).filter(id__in=at_work))


def get_sweep_or_404(user: User, sweep_id: UUID) -> Sweep:
    sweeps = Sweep.objects.filter(dataset__in=visible_datasets(user))
    return get_object_or_404(sweeps.select_related("dataset__team"), id=sweep_id)
