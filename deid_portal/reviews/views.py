"""Step 7: ask colleagues, and decide on evidence."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.people import person_of
from deid_portal.accounts.selectors import people_with_role
from deid_portal.common.next_bar import Act, NextBar
from deid_portal.common.refusals import Refused, refusal
from deid_portal.datasets.permissions import can_see_values
from deid_portal.reports.verdicts import (
    describe_rules,
    key_numbers,
    rules_sentence,
    verdict_of,
)
from deid_portal.reviews.forms import AskForm, CommentForm, DecisionForm
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.permissions import authors_of
from deid_portal.reviews.policies import fingerprints_of
from deid_portal.reviews.selectors import conversation_of, get_request_or_404
from deid_portal.reviews.services import (
    ask_for_review,
    check_can_ask,
    check_can_decide,
    check_can_withdraw,
    decide,
    withdraw_request,
    write_comment,
)
from deid_portal.runs.models import Run
from deid_portal.runs.selectors import get_run_or_404


@require_http_methods(["GET", "POST"])
def ask(request: HttpRequest, run_id: UUID) -> HttpResponse:
    person = person_of(request)
    run = get_run_or_404(person, run_id)
    form = AskForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            asked = ask_for_review(run=run, asked_by=person, purpose=form.cleaned_data["purpose"])
            return redirect("reviews:show", asked.id)
        except Refused as reason:
            messages.error(request, str(reason))
    context = {
        "dataset": run.dataset,
        "run": run,
        "form": form,
        "ask_refusal": refusal(check_can_ask, person, run),
        "verdict": verdict_of(run.report) if run.report else "",
        "current": "review",
        "help_slug": "review",
        "bar": _ask_bar(run, refusal(check_can_ask, person, run)),
    }
    return render(request, "reviews/ask.html", context, status=422 if form.errors else 200)


def _ask_bar(run: Run, closed: str) -> NextBar:
    back = Act("Back to the report", url=reverse("reports:report", args=[run.id]))
    if closed:
        return NextBar(closed, icon="lock", primary=back)
    return NextBar(
        "An approver of your team decides.",
        "You can take the request back until then.",
        secondary=back,
        primary=Act("Ask for review", form_id="ask"),
    )


@require_GET
def show(request: HttpRequest, request_id: UUID) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    form = DecisionForm(initial=fingerprints_of(review))
    return _show(request, review, form=form)


@require_POST
def decide_on(request: HttpRequest, request_id: UUID) -> HttpResponse:
    person = person_of(request)
    review = get_request_or_404(person, request_id)
    form = DecisionForm(request.POST)
    if not form.is_valid():
        return _show(request, review, form=form, status=422)
    try:
        decide(
            request=review,
            decided_by=person,
            verdict=Decision.Verdict(form.cleaned_data["verdict"]),
            reason=form.cleaned_data["reason"],
            seen=form.seen,
        )
    except Refused as reason:
        review.refresh_from_db()
        form.add_error(None, str(reason))
        return _show(request, review, form=form, status=409)
    return redirect("reviews:show", review.id)


@require_POST
def comment(request: HttpRequest, request_id: UUID) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    form = CommentForm(request.POST)
    if not form.is_valid():
        decision = DecisionForm(initial=fingerprints_of(review))
        return _show(request, review, form=decision, comment_form=form, status=422)
    write_comment(request=review, written_by=person_of(request), text=form.cleaned_data["text"])
    return redirect("reviews:show", review.id)


@require_POST
def take_back(request: HttpRequest, request_id: UUID) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    try:
        withdraw_request(request=review, withdrawn_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("reviews:show", review.id)


def _show_bar(person: User, review: ReviewRequest) -> NextBar:
    run = review.run
    report = Act("Open report", url=reverse("reports:report", args=[run.id]))
    if review.status == ReviewRequest.Status.APPROVED:
        to_release = Act(
            "Go to the release", url=reverse("releases:show", args=[review.release.id])
        )
        return NextBar(
            "Approved.", "The release can be downloaded.", "circle-check", "ok", to_release
        )
    if review.status == ReviewRequest.Status.CHANGES_REQUESTED:
        change = Act(
            "Change the protection", url=reverse("plans:protection", args=[run.dataset_id])
        )
        rest = "Change the plan, run it, and ask again; this request stays as a record."
        return NextBar("Changes were asked for.", rest, "alert-triangle", "warn", change, report)
    if review.status == ReviewRequest.Status.WITHDRAWN:
        return NextBar("This request was taken back.", "", primary=report)
    if not refusal(check_can_decide, person, review, Decision.Verdict.APPROVE):
        return NextBar("Your decision is asked for.", "The evidence is above.", primary=report)
    return NextBar("Waiting for an approver.", "The author can never decide.", "clock", "", report)


def _show(
    request: HttpRequest,
    review: ReviewRequest,
    *,
    form: DecisionForm,
    comment_form: CommentForm | None = None,
    status: int = 200,
) -> HttpResponse:
    person = person_of(request)
    run = review.run
    verdicts = Decision.Verdict
    context: dict[str, Any] = {
        "dataset": run.dataset,
        "run": run,
        "review": review,
        "release": getattr(review, "release", None),
        "form": form,
        "comment_form": comment_form or CommentForm(),
        "conversation": conversation_of(review),
        "report": run.report,
        "verdict": verdict_of(run.report),
        "rules_sentence": rules_sentence(run.report),
        "key_numbers": key_numbers(run.report),
        "sees_rows": can_see_values(person, run.dataset),
        "is_open": review.status == ReviewRequest.Status.SUBMITTED,
        "approve_refusal": refusal(check_can_decide, person, review, verdicts.APPROVE),
        "changes_refusal": refusal(check_can_decide, person, review, verdicts.ASK_FOR_CHANGES),
        "take_back_refusal": refusal(check_can_withdraw, person, review),
        "rules": describe_rules(run.report),
        "approvers": people_with_role(run.dataset.team, Role.APPROVER).exclude(
            pk__in=authors_of(review)
        ),
        "current": "review",
        "help_slug": "review",
        "bar": _show_bar(person, review),
    }
    return render(request, "reviews/show.html", context, status=status)
