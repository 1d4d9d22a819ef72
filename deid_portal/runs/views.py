"""Step 5: start a run, watch it, stop it."""

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.permissions import can_see_values
from deid_portal.datasets.selectors import get_dataset_or_404
from deid_portal.engine import EngineError
from deid_portal.plans.changes import read_changes
from deid_portal.runs.figures import trace_chart
from deid_portal.runs.models import Run
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.progress import describe_progress
from deid_portal.runs.queue_position import describe_queue, describe_wait, wait_briefly
from deid_portal.runs.selectors import (
    get_light_run_or_404,
    get_run_or_404,
    runs_of,
    waiting_in_turn,
)
from deid_portal.runs.services import (
    check_can_move_ahead,
    check_can_retry_run,
    check_can_start_run,
    move_run_ahead,
    retry_run,
    start_run,
    stop_run,
)
from deid_portal.runs.variants import start_variant
from deid_portal.web.http import STOP_POLLING, wants_part
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.refusals import Refused, refusal
from deid_portal.web.short_cache import cached_briefly
from deid_portal.work.queue import is_queue_reachable


@require_GET
def list_runs(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    person = person_of(request)
    dataset = get_dataset_or_404(person, dataset_id)
    context = {
        "dataset": dataset,
        "runs": runs_of(dataset)[:100],
        "current": "run",
        "help_slug": "run",
        "bar": _next_bar(dataset, refusal(check_can_start_run, person, dataset)),
    }
    return render(request, "runs/list.html", context)


def _next_bar(dataset: Dataset, closed: str) -> NextBar:
    start = Act(
        "Start run",
        form_action=reverse("runs:start", args=[dataset.id]),
        icon="player-play",
        blocked=bool(closed),
    )
    protection = Act("Change the protection", url=reverse("plans:protection", args=[dataset.id]))
    if closed:
        return NextBar(closed, icon="alert-triangle", tone="warn", primary=start)
    return NextBar(
        "The plan is complete.",
        "A run freezes it and looks for the best level of detail.",
        icon="circle-check",
        tone="ok",
        secondary=protection,
        primary=start,
    )


@require_POST
def start(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    try:
        run = start_run(dataset=dataset, started_by=person_of(request))
    except (Refused, EngineError) as reason:
        messages.error(request, str(reason))
        return redirect("runs:list", dataset.id)
    return redirect("runs:show", run.id)


@require_POST
def try_change(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Run the plan of a run with a change; the chosen protection is not changed."""
    run = get_run_or_404(person_of(request), run_id)
    try:
        changes = read_changes(request.POST.get("change", ""))
        started = start_variant(run=run, changes=changes, started_by=person_of(request))
    except (Refused, EngineError) as reason:
        messages.error(request, f"Nothing was started. {reason}")
        return redirect("runs:show", run.id)
    number = started.run.number
    if not started.is_new:
        messages.info(request, f"Run {number} already has this plan, so nothing new was started.")
    # Pin both runs on the board, for a comparison.
    beside = f"?a={run.number}&b={number}" if number != run.number else f"?a={number}"
    return redirect(reverse("reports:board", args=[run.dataset_id]) + beside)


@require_GET
def show(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_light_run_or_404(person_of(request), run_id)
    wait_briefly(run)
    if run.status == Run.Status.FINISHED:
        return redirect("reports:report", run.id)
    return render(request, "runs/show.html", _context(request, run))


@require_GET
def progress(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The box that is polled every second; status 286 ends polling, then the report is opened."""
    run = get_light_run_or_404(person_of(request), run_id)
    if run.status == Run.Status.FINISHED:
        # A reload redirects to the report without an entry in the history that breaks Back.
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})
    status = 200 if run.is_open else STOP_POLLING
    return render(request, "runs/_progress.html", _context(request, run), status=status)


@require_POST
def stop(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_light_run_or_404(person_of(request), run_id)
    try:
        stop_run(run=run, stopped_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("runs:show", run.id)


@require_POST
def retry(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Run the same frozen plan again."""
    run = get_run_or_404(person_of(request), run_id)
    try:
        again = retry_run(run=run, retried_by=person_of(request))
    except (Refused, EngineError) as reason:
        messages.error(request, str(reason))
        return redirect("runs:show", run.id)
    return redirect("runs:show", again.id)


@require_POST
def move_ahead(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_light_run_or_404(person_of(request), run_id)
    try:
        move_run_ahead(run=run, moved_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("runs:show", run.id)


def _context(request: HttpRequest, run: Run) -> dict[str, Any]:
    waiting = run.status == Run.Status.QUEUED
    in_turn = cached_briefly("waiting-in-turn", waiting_in_turn) if run.is_open else []
    person = person_of(request)
    sees_values = can_see_values(person, run.dataset)
    return {
        "dataset": run.dataset,
        "run": run,
        "current": "run",
        "help_slug": "run",
        "is_poll": wants_part(request),
        "progress": describe_progress(run, tells_search=sees_values),
        "chart": trace_chart(run) if run.is_open and sees_values else None,
        "wait": describe_wait(run, in_turn) if waiting else None,
        "queue": describe_queue(run, in_turn) if run.is_open else None,
        "queue_is_away": waiting and not is_queue_reachable(),
        "attempts": settings.WORK_ATTEMPTS,
        "memory_limit_mb": settings.RUN_MEMORY_MB,
        "minutes_limit": settings.RUN_MINUTES,
        "stop_refusal": refusal(check_can_run, person, run.dataset),
        "move_refusal": refusal(check_can_move_ahead, person, run),
        # Why it cannot be run again; not computed while it is open.
        "retry_refusal": "" if run.is_open else refusal(check_can_retry_run, person, run),
    }
