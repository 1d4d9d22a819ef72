"""Step 7, first half: recipients and terms of a release, and the request for review."""

from itertools import chain
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.datasets.permissions import can_see_values
from deid_portal.policies.selectors import policy_in_force
from deid_portal.querydesk.released_answers import answers_to_hand_over
from deid_portal.reports.subjects import ReportedSubject
from deid_portal.reports.visibility import report_seen_by
from deid_portal.reviews.evidence import evidence_for
from deid_portal.reviews.forms import AskForm, ResubmitForm
from deid_portal.reviews.gates import RequestGates, gates_before_asking, gates_of
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.permissions import team_of_request
from deid_portal.reviews.selectors import get_request_or_404
from deid_portal.reviews.services import (
    ask_for_review,
    change_draft,
    check_can_ask,
    check_can_change_terms,
    resubmit,
    withdraw_request,
)
from deid_portal.runs.models import Run
from deid_portal.runs.selectors import get_run_or_404
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.refusals import Refused, refusal

AS_DRAFT = "draft"
Status = ReviewRequest.Status


@require_http_methods(["GET", "POST"])
def ask(request: HttpRequest, run_id: UUID) -> HttpResponse:
    person = person_of(request)
    run = get_run_or_404(person, run_id)
    rules = policy_in_force(run.dataset.team).rules
    answers = answers_to_hand_over(person, run.dataset)
    form = AskForm(request.POST or None, team=run.dataset.team, rules=rules, answers=answers)
    if request.method == "POST" and form.is_valid():
        try:
            asked = ask_for_review(
                run=run,
                asked_by=person,
                terms=form.to_terms(),
                as_draft=request.POST.get("as") == AS_DRAFT,
            )
            return redirect("reviews:show", asked.id)
        except Refused as reason:
            messages.error(request, str(reason))
    return _show(request, run, form, refusal(check_can_ask, person, run))


@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Edit a draft, or the terms of a request after changes were asked for."""
    person = person_of(request)
    draft = get_request_or_404(person, request_id)
    rules = policy_in_force(team_of_request(draft)).rules
    form = AskForm(
        request.POST or None,
        team=team_of_request(draft),
        rules=rules,
        answers=answers_to_hand_over(person, draft.run.dataset),
        draft=draft,
    )
    if request.method == "POST" and form.is_valid():
        is_draft = request.POST.get("as") == AS_DRAFT
        try:
            change_draft(
                request=draft, changed_by=person, terms=form.to_terms(), submit=not is_draft
            )
            return redirect("reviews:show", draft.id)
        except Refused as reason:
            messages.error(request, str(reason))
    closed = refusal(check_can_change_terms, person, draft)
    return _show(request, draft.run, form, closed, draft)


def _show(
    request: HttpRequest, run: Run, form: AskForm, closed: str, draft: ReviewRequest | None = None
) -> HttpResponse:
    person = person_of(request)
    sees_values = can_see_values(person, run.dataset)
    checked = _gates(run, draft) if run.has_release else None
    context = {
        "dataset": run.dataset,
        "run": run,
        "form": form,
        "ask_refusal": closed,
        "can_keep_as_draft": draft is None or draft.status == Status.DRAFT,
        "checked": checked,
        "gates": _gate_lines(checked, run, sees_values=sees_values) if checked else [],
        "verdict": ReportedSubject.of(run.dataset).verdict(report_seen_by(person, run))
        if run.report
        else "",
        "current": "review",
        "help_slug": "review",
        "bar": _bar(run, closed, checked),
    }
    return render(request, "reviews/ask.html", context, status=422 if form.errors else 200)


def _gates(run: Run, draft: ReviewRequest | None) -> RequestGates:
    return gates_before_asking(run) if draft is None else gates_of(draft)


def _gate_lines(checked: RequestGates, run: Run, *, sees_values: bool) -> list[dict[str, Any]]:
    return [
        {
            "result": own.result,
            "asks": own.gate.asks,
            "has": own.gate.has_for(sees_values=sees_values),
            "evidence": evidence_for(own.gate.name, run),
        }
        for own in checked.gates
    ]


def _bar(run: Run, closed: str, checked: RequestGates | None) -> NextBar:
    back = Act("Back to the report", url=reverse("reports:report", args=[run.id]))
    if closed:
        return NextBar(closed, icon="lock", primary=back)
    ask = Act("Ask for review", form_id="ask")
    if checked is not None and not checked.is_open:
        rest = (
            "You can ask now, and then say in writing why a gate that fails may pass."
            if checked.fails
            else "You can ask now; approving opens by itself when it has ended."
        )
        title, icon = f"{checked.title}.", "alert-triangle"
        return NextBar(title, rest, icon, "warn", primary=ask, secondary=back)
    return NextBar(
        "Approvers of your team decide.",
        "You can withdraw the request until then.",
        secondary=back,
        primary=ask,
    )


@require_POST
def submit_run(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Submit a request again with a run; earlier votes become void."""
    person = person_of(request)
    review = get_request_or_404(person, request_id)
    form = ResubmitForm(request.POST, request=review)
    if form.is_valid():
        try:
            resubmit(request=review, run=form.cleaned_data["run"], submitted_by=person)
        except Refused as reason:
            messages.error(request, str(reason))
    else:
        for error in chain.from_iterable(form.errors.values()):
            messages.error(request, str(error))
    return redirect("reviews:show", review.id)


@require_POST
def take_back(request: HttpRequest, request_id: UUID) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    try:
        withdraw_request(request=review, withdrawn_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("reviews:show", review.id)
