"""Step 6: what came out, as a sentence, as charts with their numbers, and as rows for stewards."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.people import person_of
from deid_portal.accounts.permissions import has_role
from deid_portal.common.next_bar import Act, NextBar
from deid_portal.datasets.permissions import can_see_values, check_can_change
from deid_portal.datasets.policies import check_is_ready
from deid_portal.reports.evidence import (
    association_table,
    burden_charts,
    change_chart,
    classifier_chart,
    describe_attacks,
    describe_cuts,
    describe_randomized,
    describe_steps,
    influence_chart,
    safe_harbor_findings,
)
from deid_portal.reports.figures import classes_chart, loss_chart, risk_chart
from deid_portal.reports.selectors import (
    OPEN_REQUESTS,
    first_rows_of,
    is_of_an_earlier_plan,
    level_label,
    pack_recipe,
)
from deid_portal.reports.verdicts import (
    describe_miss,
    key_numbers,
    rules_sentence,
    search_sentence,
    verdict_of,
)
from deid_portal.runs.models import Run
from deid_portal.runs.selectors import get_run_or_404


@require_GET
def report(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_run_or_404(person_of(request), run_id)
    if run.status != Run.Status.FINISHED:
        return redirect("runs:show", run.id)
    template = "reports/report.html" if run.solution else "reports/no_solution.html"
    return render(request, template, _context(request, run))


@require_GET
def report_document(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_run_or_404(person_of(request), run_id)
    if run.report is None:
        raise Http404
    # The plan inside can name values of sensitive columns; those who see no values get the rest.
    document = dict(run.report)
    if not can_see_values(person_of(request), run.dataset):
        document.pop("plan", None)
    return JsonResponse(document, json_dumps_params={"indent": 2, "ensure_ascii": False})


@require_GET
def recipe(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The plan with its taxonomies, complete, to repeat the run; it names values: stewards only."""
    run = get_run_or_404(person_of(request), run_id)
    check_can_change(person_of(request), run.dataset)
    check_is_ready(run.dataset)
    response = HttpResponse(pack_recipe(run), content_type="application/zip")
    name = slugify(run.dataset.name) or "dataset"
    response["Content-Disposition"] = f'attachment; filename="{name}-run-{run.number}-recipe.zip"'
    return response


def _context(request: HttpRequest, run: Run) -> dict[str, Any]:
    document = run.report
    context: dict[str, Any] = {
        "dataset": run.dataset,
        "run": run,
        "report": document,
        "verdict": verdict_of(document),
        "rules_sentence": rules_sentence(document),
        "search_sentence": search_sentence(document),
        "is_outdated": is_of_an_earlier_plan(run),
        "sees_rows": False,
        "current": "report",
        "help_slug": "report",
        "bar": _next_bar(person_of(request), run),
    }
    if not run.solution:
        context["blocked"] = describe_miss(document)
    if run.solution:
        context |= {
            "key_numbers": key_numbers(document),
            "charts": [risk_chart(document), classes_chart(document)],
            "loss_chart": loss_chart(document),
            "columns": _columns(document),
            **_evidence(document),
        }
        if can_see_values(person_of(request), run.dataset) and run.has_release:
            context |= {"sees_rows": True, "released": first_rows_of(run)}
    return context


def _next_bar(person: User, run: Run) -> NextBar:
    if run.rows_deleted_at is not None:
        runs = Act("All runs", url=reverse("runs:list", args=[run.dataset_id]))
        rest = "The numbers stay; nothing can be released from this run any more."
        return NextBar("The table and the rows were deleted.", rest, icon="trash", primary=runs)
    if not run.solution:
        back = Act("Back to protection", url=reverse("plans:protection", args=[run.dataset_id]))
        return NextBar(
            "The plan is kept.",
            "Change one number and run again; this run stays in the history.",
            primary=back,
        )
    if not has_role(person, run.dataset.team, Role.STEWARD):
        runs = Act("All runs", url=reverse("runs:list", args=[run.dataset_id]))
        return NextBar("Stewards ask for review when a run is ready.", icon="lock", primary=runs)
    change = Act("Change the protection", url=reverse("plans:protection", args=[run.dataset_id]))
    request = run.requests.first()
    if request is not None and request.status in OPEN_REQUESTS:
        there = Act("Open the request", url=reverse("reviews:show", args=[request.id]))
        lead = f"Request {request.number} is {request.get_status_display().lower()}."
        return NextBar(lead, "The decision and the release are there.", primary=there)
    return NextBar(
        "Before the release: a colleague’s approval.",
        "An approver looks at these numbers, never at rows.",
        secondary=change,
        primary=Act("Ask for review", url=reverse("reviews:ask", args=[run.id])),
    )


def _evidence(document: dict[str, Any]) -> dict[str, Any]:
    charts = [influence_chart(document), change_chart(document), classifier_chart(document)]
    return {
        "evidence_charts": [chart for chart in (*charts, *burden_charts(document)) if chart],
        "attacks": describe_attacks(document),
        "method_steps": describe_steps(document),
        "cuts": describe_cuts(document),
        "randomized": describe_randomized(document),
        "associations": association_table(document),
        "safe_harbor": safe_harbor_findings(document),
    }


def _columns(document: dict[str, Any]) -> list[dict[str, Any]]:
    """List what happened to each column, those that paid most first."""
    rows = [
        {"name": name, "level_label": level_label(column), **column}
        for name, column in document["columns"].items()
    ]
    return sorted(rows, key=lambda row: -(row.get("loss") or -1))
