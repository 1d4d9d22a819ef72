"""Who is notified about the end of a run, and of what."""

from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.notices.services import tell
from deid_portal.runs.models import Priority, Run, Sweep
from deid_portal.work.leases import OPEN_STATUSES, WorkStatus


def tell_that_it_ended(run: Run, status: WorkStatus, *, solution: bool | None = None) -> None:
    """Notify who started it; for a sweep once, when its last run has ended."""
    if run.priority == Priority.SWEEP:
        for sweep in Sweep.objects.select_for_update().filter(members__run=run).order_by("id"):
            _tell_if_sweep_ended(sweep)
    elif status == WorkStatus.FINISHED and solution:
        _tell(run, "run.finished", "has finished", reverse("reports:report", args=[run.id]))
    elif status == WorkStatus.FINISHED:
        what = "found no release that keeps its rules"
        _tell(run, "run.no_solution", what, reverse("reports:report", args=[run.id]))
    elif status == WorkStatus.FAILED:
        _tell(run, "run.failed", "failed", reverse("runs:show", args=[run.id]))


def tell_that_it_was_stopped(run: Run, stopped_by: User) -> None:
    what = f"was stopped by {stopped_by.display_name}"
    _tell(run, "run.stopped", what, reverse("runs:show", args=[run.id]), but=stopped_by)


def _tell(run: Run, kind: str, what: str, url: str, but: User | None = None) -> None:
    team = run.dataset.team
    tell([run.started_by], f"{run} {what}.", kind=kind, url=url, team=team, but=but)


def _tell_if_sweep_ended(sweep: Sweep) -> None:
    """Callers lock the sweep, so of two runs that end at once the second sees the first."""
    runs = sweep.runs.order_by()
    if runs.filter(status__in=OPEN_STATUSES).exists():
        return
    answered, count = runs.filter(status=WorkStatus.FINISHED).count(), runs.count()
    tell(
        [sweep.started_by],
        f"{sweep} has ended: {answered} of {count} runs have an answer.",
        kind="sweep.ended",
        url=reverse("reports:board", args=[sweep.dataset_id]),
        team=sweep.dataset.team,
    )
