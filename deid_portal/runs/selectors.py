from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Team, User
from deid_portal.common.work import OPEN_STATUSES
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import visible_datasets
from deid_portal.runs.models import Run

# Documents that only single pages need; a list of runs must not decrypt them all.
HEAVY = ("plan", "plan_files", "report", "published")


def visible_runs(user: User) -> QuerySet[Run]:
    return Run.objects.filter(dataset__in=visible_datasets(user)).select_related(
        "dataset__team", "started_by", "based_on"
    )


def get_run_or_404(user: User, run_id: UUID) -> Run:
    runs = visible_runs(user).defer(*(f"based_on__{name}" for name in HEAVY))
    return get_object_or_404(runs, id=run_id)


def get_light_run_or_404(user: User, run_id: UUID) -> Run:
    """Fetch a run without its documents, for the pages that are asked for every second."""
    return get_object_or_404(_light(visible_runs(user)), id=run_id)


def runs_of(dataset: Dataset) -> QuerySet[Run]:
    return _light(dataset.runs.select_related("started_by", "based_on"))


def _light(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Leave the documents closed, those of the run it was made from too."""
    return runs.defer(*HEAVY, *(f"based_on__{name}" for name in HEAVY))


def open_runs_of_team(user: User, team: Team) -> QuerySet[Run]:
    runs = visible_runs(user).filter(dataset__team=team, status__in=OPEN_STATUSES)
    return _light(runs).order_by("queued_at")


def runs_ahead_of(run: Run) -> int:
    return Run.objects.filter(status__in=OPEN_STATUSES, queued_at__lt=run.queued_at).count()
