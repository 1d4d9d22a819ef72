"""Step 6, the report: a verdict, charts with their numbers and, for stewards, rows."""

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
from deid_portal.datasets.permissions import can_see_values, check_can_change
from deid_portal.datasets.policies import check_is_ready
from deid_portal.engine.report import Report
from deid_portal.policies.rules import Rules
from deid_portal.policies.selectors import policy_in_force
from deid_portal.reports.board import scenarios_of
from deid_portal.reports.keeping import find_keeping_combination, find_keeping_run
from deid_portal.reports.pages import ReportPageRequest, address_of_report, tabs_of
from deid_portal.reports.remedies import describe_miss, describe_remedies
from deid_portal.reports.selectors import OPEN_REQUESTS, is_of_an_earlier_plan, pack_recipe
from deid_portal.reports.services import record_look_at_rows
from deid_portal.reports.subjects import ReportedSubject
from deid_portal.reports.templatetags.comments import request_talked_about
from deid_portal.reports.verdicts import ReportNumber
from deid_portal.reports.visibility import report_seen_by
from deid_portal.runs.models import Run
from deid_portal.runs.selectors import get_run_or_404
from deid_portal.runs.variants import check_can_vary
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.refusals import refusal

ONE_LINE = 8  # key numbers


@require_GET
def report(request: HttpRequest, run_id: UUID, section: str = "summary") -> HttpResponse:
    person = person_of(request)
    run = get_run_or_404(person, run_id)
    if run.status != Run.Status.FINISHED:
        return redirect("runs:show", run.id)
    sections = ReportedSubject.of(run.dataset).sections
    if section not in sections:
        raise Http404
    if not run.solution:
        return (
            _no_solution(request, run) if section == "summary" else redirect(address_of_report(run))
        )
    page = sections[section]
    if page.for_stewards:
        check_can_change(person, run.dataset)
        if not run.has_release:
            raise Http404
    sees_values = can_see_values(person, run.dataset)
    asked = ReportPageRequest(run, report_seen_by(person, run), request.GET, sees_values)
    context = {
        **_frame(person, run),
        "report": asked.report,
        "section": page,
        "tabs": tabs_of(asked, section, sections, is_steward=_sees_rows(person, run)),
        **page.make(asked),
    }
    if context.get("pairs") is not None:
        record_look_at_rows(run=run, seen_by=person, shown=context["pairs"])
    return render(request, page.template, context)


def _no_solution(request: HttpRequest, run: Run) -> HttpResponse:
    person = person_of(request)
    rules = policy_in_force(run.dataset.team).rules
    seen = report_seen_by(person, run)
    context = {
        **_frame(person, run),
        "miss": describe_miss(seen),
        "remedies": describe_remedies(seen, rules),
    }
    return render(request, "reports/no_solution.html", context)


def _frame(person: User, run: Run) -> dict[str, Any]:
    """The context of every page of a report; gates are checked against the full report."""
    rules = policy_in_force(run.dataset.team).rules
    seen = report_seen_by(person, run)
    sees_values = can_see_values(person, run.dataset)
    numbers = _key_numbers(run, seen, rules)
    return {
        "dataset": run.dataset,
        "run": run,
        "verdict": ReportedSubject.of(run.dataset).judge(
            seen, rules, None if sees_values else run.finished_report
        ),
        **_lost(person, run, seen),
        "key_numbers": numbers,
        "numbers_across": _across(len(numbers)),
        "notes": ReportedSubject.of(run.dataset).notes(seen) if seen.tells("notes") else (),
        "is_outdated": is_of_an_earlier_plan(run),
        "sees_values": sees_values,
        "can_try": not refusal(check_can_vary, person, run),
        "has_recipe": sees_values and not run.dataset.is_forgotten,
        "talk_address": request_talked_about(run),
        "current": "report",
        "help_slug": "report",
        "bar": _next_bar(person, run),
    }


def _across(count: int) -> int:
    """Return how many numbers stand in a line: all of them, or half of more than eight."""
    return ONE_LINE if count <= ONE_LINE else -(-count // 2)


def _key_numbers(run: Run, seen: Report, rules: Rules) -> list[ReportNumber]:
    if not run.solution:
        return []
    return ReportedSubject.of(run.dataset).key_numbers(seen, rules)


def _lost(person: User, run: Run, seen: Report) -> dict[str, Any]:
    """Return the columns that are gone, and the nearest run that keeps them."""
    if not run.solution or not seen.lost_columns.names:
        return {}
    lost = seen.lost_columns
    keeping = find_keeping_run(run.number, lost, scenarios_of(run.dataset, person))
    other = find_keeping_combination(seen) if keeping is None else None
    return {"lost": lost, "keeping": keeping, "keeping_combination": other}


def _sees_rows(person: User, run: Run) -> bool:
    return can_see_values(person, run.dataset) and run.has_release


@require_GET
def report_document(request: HttpRequest, run_id: UUID) -> HttpResponse:
    run = get_run_or_404(person_of(request), run_id)
    if run.report is None:
        raise Http404
    document = report_seen_by(person_of(request), run).to_document()
    return JsonResponse(document, json_dumps_params={"indent": 2, "ensure_ascii": False})


@require_GET
def recipe(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The complete plan with its taxonomies, to repeat the run; stewards only: it names values."""
    run = get_run_or_404(person_of(request), run_id)
    check_can_change(person_of(request), run.dataset)
    check_is_ready(run.dataset)
    response = HttpResponse(pack_recipe(run), content_type="application/zip")
    name = slugify(run.dataset.name) or "dataset"
    response["Content-Disposition"] = f'attachment; filename="{name}-run-{run.number}-recipe.zip"'
    return response


def _next_bar(person: User, run: Run) -> NextBar:
    if run.rows_deleted_at is not None:
        runs = Act("All runs", url=reverse("runs:list", args=[run.dataset_id]))
        rest = "The numbers stay; nothing can be released from this run any more."
        return NextBar("The table and the rows were deleted.", rest, icon="trash", primary=runs)
    if not run.solution:
        page = run.dataset.subject.pages["protection"]
        back = Act("Back to protection", url=reverse(page, args=[run.dataset_id]))
        return NextBar(
            "The plan is kept.",
            "Change one number and run again; this run stays in the history.",
            primary=back,
        )
    if not has_role(person, run.dataset.team, Role.STEWARD):
        runs = Act("All runs", url=reverse("runs:list", args=[run.dataset_id]))
        return NextBar("Stewards ask for review when a run is ready.", icon="lock", primary=runs)
    board = Act("Open scenario board", url=reverse("reports:board", args=[run.dataset_id]))
    request = run.requests.first()
    if request is not None and request.status in OPEN_REQUESTS:
        there = Act("Open the request", url=reverse("reviews:show", args=[request.id]))
        lead = f"Request {request.number} is {request.get_status_display().lower()}."
        return NextBar(lead, "The decision and the release are there.", primary=there)
    return NextBar(
        "Before the release: a colleague’s approval.",
        "An approver looks at these numbers, never at rows.",
        secondary=board,
        primary=Act("Ask for review", url=reverse("reviews:ask", args=[run.id])),
    )
