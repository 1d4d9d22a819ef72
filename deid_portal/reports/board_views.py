"""The scenario board: all runs of a dataset on one chart, two compared, one promoted."""

import csv
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.selectors import get_dataset_or_404
from deid_portal.engine.files.csv.writer import neutralize
from deid_portal.reports.board import Board, scenarios_of
from deid_portal.reports.board_figure import board_chart, legend_of
from deid_portal.reports.run_comparison import ComparisonLine
from deid_portal.reports.scenarios import axes_for
from deid_portal.runs.permissions import check_can_run
from deid_portal.runs.promotion import (
    check_can_undo_promotion,
    promote_run,
    promoted_run,
    undo_promotion,
)
from deid_portal.runs.selectors import get_light_run_or_404, open_sweeps_of, runs_of
from deid_portal.runs.sweeps import check_can_sweep
from deid_portal.web.http import STOP_POLLING
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.refusals import Refused, refusal

RUNS_ENDED = "runs-ended"  # on this event htmx reloads the board


@require_GET
def board(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    person = person_of(request)
    dataset = get_dataset_or_404(person, dataset_id)
    # Read before the scenarios: a run that ends in between must count as open, otherwise the board
    # would show it as running and polling would stop.
    running_now = _running(person, dataset)
    shown = Board.read(scenarios_of(dataset, person), request.GET.dict())
    risks, details = axes_for(shown.scenarios)
    context = {
        "dataset": dataset,
        "board": shown,
        "chart": board_chart(shown),
        "legend": legend_of(shown),
        "risks": risks,
        "details": details,
        "table_order": request.GET.get("order") == "table",
        "last": request.GET.get("last", ""),
        "address": _address(shown),
        "sweep_refusal": refusal(check_can_sweep, person, dataset),
        "current": "report",
        "help_slug": "scenarios",
        "bar": _next_bar(person, dataset, shown),
        **running_now,
    }
    return render(request, "reports/board.html", context)


def _address(shown: Board) -> dict[str, str]:
    """Return the query strings of this page, and of the page without one of the pins."""
    asked = {"risk": shown.risk.name, "detail": shown.detail.name}
    a = {"a": str(shown.wanted_a)} if shown.a_is_pinned else {}
    b = {"b": str(shown.b.number)} if shown.b else {}
    return {
        "all": urlencode(asked | a | b),
        "without_a": urlencode(asked | b),
        "without_b": urlencode(asked | a),
    }


def _running(person: User, dataset: Dataset) -> dict[str, Any]:
    sweeps = open_sweeps_of(dataset)
    runs = list(runs_of(dataset))
    return {
        "sweeps": sweeps,
        "open_runs": [run for run in runs if run.is_open],
        "ended": sum(1 for run in runs if not run.is_open),
        "unfinished": sum(1 for run in runs if run.status in ("failed", "stopped")),
        "stop_refusal": refusal(check_can_run, person, dataset),
    }


@require_GET
def running(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The bar that is polled while runs are open; it triggers a reload of the board."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    context = {"dataset": dataset, **_running(person_of(request), dataset)}
    status = 200 if context["open_runs"] else STOP_POLLING
    response = render(request, "reports/_board_running.html", context, status=status)
    if request.GET.get("ended") != str(context["ended"]):
        response.headers["HX-Trigger"] = RUNS_ENDED
    return response


@require_GET
def comparison(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The comparison of two runs as a CSV file."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    shown = Board.read(scenarios_of(dataset, person_of(request)), request.GET.dict())
    if shown.comparison is None or shown.a is None or shown.b is None:
        raise Http404
    response = HttpResponse("\ufeff", content_type="text/csv; charset=utf-8")
    name = f"{slugify(dataset.name) or 'dataset'}-runs-{shown.a.number}-{shown.b.number}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    writer = csv.writer(response)
    a, b = f"Run {shown.a.number}", f"Run {shown.b.number}"
    writer.writerow(["Column or number", a, f"{a}, lost", b, f"{b}, lost", "Better", "Difference"])
    for line in shown.comparison.lines:
        writer.writerow([neutralize(cell) for cell in _cells(line, a, b)])
    for name in shown.comparison.exact_in_both:
        writer.writerow([neutralize(name), "exact", "", "exact", "", "", "exact in both"])
    return response


def _cells(line: ComparisonLine, a: str, b: str) -> list[str]:
    lost = ["" if own is None else f"{own:.4f}" for own in (line.a_lost, line.b_lost)]
    better = {"A": a, "B": b}.get(line.better, "")
    return [line.name, line.a, lost[0], line.b, lost[1], better, line.words]


@require_POST
def promote(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_light_run_or_404(person_of(request), run_id)
    try:
        promote_run(run=run, promoted_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    else:
        messages.success(
            request, f"Run {run.number} is promoted; it goes on to review when you ask for it."
        )
    return redirect(_board_with(run.dataset_id, run.number))


@require_POST
def undo(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_light_run_or_404(person_of(request), run_id)
    try:
        undo_promotion(run=run, undone_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    else:
        messages.success(request, f"Run {run.number} is no longer promoted.")
    return redirect(_board_with(run.dataset_id, run.number))


def _board_with(dataset_id: UUID, number: int) -> str:
    return f"{reverse('reports:board', args=[dataset_id])}?a={number}"


def _next_bar(person: User, dataset: Dataset, shown: Board) -> NextBar:
    closed = refusal(check_can_run, person, dataset)
    if closed:
        runs = Act("All runs", url=reverse("runs:list", args=[dataset.id]))
        return NextBar("Stewards promote a run and ask for its review.", icon="lock", primary=runs)
    promoted = promoted_run(dataset)
    if promoted is not None:
        ask = Act("Ask for review", url=reverse("reviews:ask", args=[promoted.id]))
        back = Act("Undo", form_action=reverse("reports:undo-promotion", args=[promoted.id]))
        stays = refusal(check_can_undo_promotion, person, promoted)
        return NextBar(
            f"Run {promoted.number} is promoted.",
            stays or "It can be undone until you ask for its review.",
            icon="circle-check",
            tone="ok",
            secondary=None if stays else back,
            primary=ask,
        )
    pins = [own for own in (shown.a, shown.b) if own is not None and own.has_numbers]
    if not pins:
        start = Act("To the protection", url=reverse("plans:protection", args=[dataset.id]))
        return NextBar("A run that ended with a release can be promoted.", primary=start)
    acts = [_promote(own, "A" if own is shown.a else "B") for own in pins]
    return NextBar(
        "Promote one run to go on.",
        "The others stay here; promoting can be undone until you ask for review.",
        secondary=acts[1] if len(acts) > 1 else None,
        primary=acts[0],
    )


def _promote(own: Any, letter: str) -> Act:
    label = f"Promote A, run {own.number}" if letter == "A" else f"Promote {letter}"
    return Act(label, form_action=reverse("reports:promote", args=[own.id]))
