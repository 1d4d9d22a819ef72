"""Start and stop sweeps."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import get_dataset_or_404
from deid_portal.engine import EngineError
from deid_portal.plans.subjects import check_plan_chosen
from deid_portal.runs.forms import SweepForm
from deid_portal.runs.queue_position import usual_run_seconds
from deid_portal.runs.selectors import get_sweep_or_404
from deid_portal.runs.sweeps import check_can_sweep, check_size, start_sweep, stop_sweep
from deid_portal.runs.variants import basis_of_protection
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.refusals import Refused, entering_step, refusal
from deid_portal.work.workers import count_workers


@require_http_methods(["GET", "POST"])
def sweep(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    person = person_of(request)
    dataset = get_dataset_or_404(person, dataset_id)
    with entering_step(dataset, "run"):
        check_plan_chosen(dataset)
        basis = basis_of_protection(dataset)
    form = SweepForm(request.POST or None, dataset=dataset, basis=basis)
    if request.method == "POST" and form.is_valid():
        try:
            started = start_sweep(dataset=dataset, grid=form.to_grid(), started_by=person)
        except (Refused, EngineError) as reason:
            form.add_error(None, str(reason))
        else:
            messages.success(request, f"Sweep {started.number} is started: {started.words}.")
            return redirect("reports:board", dataset.id)
    context = {
        "dataset": dataset,
        "form": form,
        "refusal": refusal(check_can_sweep, person, dataset),
        "current": "run",
        "help_slug": "scenarios",
        **_size(form, dataset),
        "bar": _next_bar(dataset, refusal(check_can_sweep, person, dataset)),
    }
    return render(request, "runs/sweep.html", context, status=422 if form.errors else 200)


@require_POST
def sweep_size(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The number of runs of a sweep and their duration, before it is started."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "run"):
        check_plan_chosen(dataset)
    form = SweepForm(request.POST, dataset=dataset, basis=basis_of_protection(dataset))
    form.is_valid()
    return render(request, "runs/_sweep_size.html", {"dataset": dataset, **_size(form, dataset)})


def _size(form: SweepForm, dataset: Dataset) -> dict[str, Any]:
    given = form
    if not form.is_bound:
        first = {name: form.get_initial_for_field(own, name) for name, own in form.fields.items()}
        given = SweepForm(first, dataset=dataset, basis=basis_of_protection(dataset))
    if not given.is_valid():
        errors = [error for own in given.errors.values() for error in own]
        return {"size": None, "size_refusal": errors[0] if errors else ""}
    size = sum(1 for _ in given.to_grid().changes(basis_of_protection(dataset)))
    usual, workers = usual_run_seconds(), count_workers()
    return {
        "size": size,
        "size_refusal": refusal(check_size, size),
        "seconds": usual * size / workers if usual and workers else None,
    }


def _next_bar(dataset: Dataset, closed: str) -> NextBar:
    board = Act("To the board", url=reverse("reports:board", args=[dataset.id]))
    if closed:
        return NextBar(closed, icon="lock", primary=board)
    return NextBar(
        "Every combination is a run of its own.",
        "Single runs go first; plans that were already run are not run again.",
        secondary=board,
        primary=Act("Start the sweep", form_id="sweep"),
    )


@require_POST
def stop(request: HttpRequest, sweep_id: UUID) -> HttpResponse:
    sweep = get_sweep_or_404(person_of(request), sweep_id)
    try:
        count = stop_sweep(sweep=sweep, stopped_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    else:
        runs = "1 run" if count == 1 else f"{count} runs"
        messages.success(request, f"{runs} of sweep {sweep.number} stopped; those that ended stay.")
    return redirect("reports:board", sweep.dataset_id)
