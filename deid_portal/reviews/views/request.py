"""Step 7, first half: recipients and terms of a release, and the request for review."""

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
from deid_portal.reports.verdicts import verdict_of
from deid_portal.reports.visibility import report_seen_by
from deid_portal.reviews.forms import AskForm, ResubmitForm
from deid_portal.reviews.gates import check_run
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.permissions import team_of_request
from deid_portal.reviews.selectors import better_runs, get_request_or_404
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
    return _show(request, draft.run, form, closed, is_draft=draft.status == Status.DRAFT)


def _show(
    request: HttpRequest, run: Run, form: AskForm, closed: str, *, is_draft: bool = True
) -> HttpResponse:
    policy, person = policy_in_force(run.dataset.team), person_of(request)
    sees_values = can_see_values(person, run.dataset)
    gates = check_run(policy, run) if run.report else []
    context = {
        "dataset": run.dataset,
        "run": run,
        "form": form,
        "ask_refusal": closed,
        "can_keep_as_draft": is_draft,
        "policy": policy,
        "gates": [(gate, gate.has_for(sees_values=sees_values)) for gate in gates],
        "verdict": verdict_of(report_seen_by(person, run)) if run.report else "",
        "current": "review",
        "help_slug": "review",
        "bar": _bar(run, closed),
    }
    return render(request, "reviews/ask.html", context, status=422 if form.errors else 200)


def _bar(run: Run, closed: str) -> NextBar:
    back = Act("Back to the report", url=reverse("reports:report", args=[run.id]))
    if closed:
        return NextBar(closed, icon="lock", primary=back)
    return NextBar(
        "Approvers of your team decide.",
        "You can withdraw the request until then.",
        secondary=back,
        primary=Act("Ask for review", form_id="ask"),
    )


@require_POST
def submit_run(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Submit a request again with a run; earlier votes become void."""
    person = person_of(request)
    review = get_request_or_404(person, request_id)
    form = ResubmitForm(request.POST, runs=better_runs(review))
    if form.is_valid():
        try:
            resubmit(request=review, run=form.cleaned_data["run"], submitted_by=person)
        except Refused as reason:
            messages.error(request, str(reason))
    else:
        messages.error(request, "Choose a finished run of this dataset.")
    return redirect("reviews:show", review.id)


@require_POST
def take_back(request: HttpRequest, request_id: UUID) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    try:
        withdraw_request(request=review, withdrawn_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("reviews:show", review.id)
