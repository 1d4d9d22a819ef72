"""Step 7, second half: votes, waivers and comments."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.accounts.second_factor import confirm_second_factor, was_factor_given
from deid_portal.datasets.permissions import can_see_values
from deid_portal.querydesk.released_answers import read_answers, sum_prices
from deid_portal.reports.subjects import ReportedSubject
from deid_portal.reports.verdicts import describe_rules, rules_sentence
from deid_portal.reports.visibility import report_seen_by
from deid_portal.reviews.deadlines import expires_at
from deid_portal.reviews.evidence import evidence_for
from deid_portal.reviews.forms import CommentForm, ResubmitForm, ReviewDecisionForm, WaiverForm
from deid_portal.reviews.gates import CheckedGate, RequestGates, gates_of
from deid_portal.reviews.models import Decision, ReviewRequest
from deid_portal.reviews.permissions import (
    asks_for_second_factor,
    check_may_agree,
    check_may_ask_for_waiver,
)
from deid_portal.reviews.policies import check_is_open, fingerprints_of, what_changed
from deid_portal.reviews.selectors import (
    ConversationEntry,
    answers_of,
    conversation_of,
    fold_answered,
    get_request_or_404,
    standings_of_people,
    turn_words,
    who_may_decide,
)
from deid_portal.reviews.services import (
    agree_to_waiver,
    approvals_of,
    ask_for_waiver,
    check_can_approve,
    check_can_change_terms,
    check_can_submit,
    check_can_vote,
    check_can_withdraw_request,
    decide,
    mark_answered,
    write_comment,
)
from deid_portal.web.http import wants_part
from deid_portal.web.next_bar import Act, NextBar
from deid_portal.web.refusals import Refused, refusal

Status = ReviewRequest.Status
TALK = {
    "all": "All",
    "open": "Open",
    "about": "On charts and columns",
}


@require_GET
def show(request: HttpRequest, request_id: UUID) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    if wants_part(request):  # the conversation is polled
        return render(request, "reviews/_thread.html", _talk(request, review))
    return _show(request, review)


@require_POST
def decide_on(request: HttpRequest, request_id: UUID) -> HttpResponse:
    person = person_of(request)
    review = get_request_or_404(person, request_id)
    form = ReviewDecisionForm(request.POST)
    if not form.is_valid():
        return _show(request, review, form=form, status=422)
    if not refusal(check_can_vote, person, review):
        _confirm(request, review)
    try:
        decide(
            request=review,
            decided_by=person,
            verdict=Decision.Verdict(form.cleaned_data["verdict"]),
            reason=form.cleaned_data["reason"],
            seen=form.seen,
        )
    except Refused as reason:
        return _show_conflict(request, get_request_or_404(person, request_id), form, str(reason))
    return redirect("reviews:show", review.id)


def _show_conflict(
    request: HttpRequest, review: ReviewRequest, form: ReviewDecisionForm, reason: str
) -> HttpResponse:
    """Show what has changed; the form keeps its text and now carries the new hashes."""
    changed = what_changed(review, form.seen)
    again = ReviewDecisionForm({**form.cleaned_data, **_shown(review)})
    again.is_valid()
    again.add_error(None, reason)
    return _show(request, review, form=again, changed=changed, status=409)


@require_POST
def waive(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """Ask for a waiver of a gate."""
    person = person_of(request)
    review = get_request_or_404(person, request_id)
    form = WaiverForm(request.POST)
    if not form.is_valid():
        return _show(request, review, waiver_form=form, status=422)
    try:
        ask_for_waiver(
            request=review,
            asked_by=person,
            gate=form.cleaned_data["gate"],
            reason=form.cleaned_data["reason"],
        )
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("reviews:show", review.id)


@require_POST
def agree(request: HttpRequest, request_id: UUID, waiver_id: int) -> HttpResponse:
    person = person_of(request)
    review = get_request_or_404(person, request_id)
    waiver = get_object_or_404(review.waivers, id=waiver_id)
    if not refusal(check_may_agree, person, waiver):
        _confirm(request, review)
    try:
        agree_to_waiver(waiver=waiver, agreed_by=person)
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("reviews:show", review.id)


def _confirm(request: HttpRequest, review: ReviewRequest) -> None:
    """Ask for the second factor if the policy requires it; the form is then submitted again."""
    if asks_for_second_factor(review):
        confirm_second_factor(request)


@require_POST
def comment(request: HttpRequest, request_id: UUID) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    form = CommentForm(request.POST, columns=_columns_of(review))
    if not form.is_valid() and wants_part(request):
        talk = _talk(request, review, form)
        return render(request, "reviews/_conversation.html", talk, status=422)
    if not form.is_valid():
        return _show(request, review, comment_form=form, status=422)
    about, about_name = form.subject
    write_comment(
        request=review,
        written_by=person_of(request),
        text=form.cleaned_data["text"],
        about=about,
        about_name=about_name,
    )
    if wants_part(request):
        return render(request, "reviews/_conversation.html", _talk(request, review))
    return redirect(f"{reverse('reviews:show', args=[review.id])}#conversation")


@require_POST
def answered(request: HttpRequest, request_id: UUID, comment_id: int) -> HttpResponse:
    review = get_request_or_404(person_of(request), request_id)
    mark_answered(
        comment=get_object_or_404(review.comments, id=comment_id), answered_by=person_of(request)
    )
    if wants_part(request):
        return render(request, "reviews/_thread.html", _talk(request, review))
    return redirect("reviews:show", review.id)


def _columns_of(review: ReviewRequest) -> list[str]:
    return list(review.run.dataset.columns.values_list("name", flat=True))


def _talk(
    request: HttpRequest, review: ReviewRequest, form: CommentForm | None = None
) -> dict[str, Any]:
    entries = conversation_of(review)
    wanted = request.GET.get("talk", "all")
    shown = {
        "open": [entry for entry in entries if entry.is_open],
        "about": [entry for entry in entries if entry.comment and entry.comment.about_name],
    }
    counts = {"all": len(entries)} | {name: len(found) for name, found in shown.items()}
    return {
        "review": review,
        "blocks": fold_answered(shown.get(wanted, entries)),
        "has_said": bool(shown.get(wanted, entries)),
        "talks": [
            {"name": name, "label": label, "count": counts[name], "is_chosen": name == wanted}
            for name, label in TALK.items()
        ],
        "talk": wanted,
        "comment_form": form
        or CommentForm(columns=_columns_of(review), about_first=request.GET.get("about", "")),
    }


def _show(
    request: HttpRequest,
    review: ReviewRequest,
    *,
    form: ReviewDecisionForm | None = None,
    comment_form: CommentForm | None = None,
    waiver_form: WaiverForm | None = None,
    changed: list[tuple[str, str, str]] | None = None,
    status: int = 200,
) -> HttpResponse:
    person, run = person_of(request), review.run
    seen = report_seen_by(person, run)
    checked = gates_of(review)
    answers = read_answers(answers_of(review)) if _may_read_answers(person, review) else []
    vote = review.decisions.filter(round=review.round, decided_by=person).first()
    can_vote = not refusal(check_can_vote, person, review)
    context: dict[str, Any] = {
        "dataset": run.dataset,
        "run": run,
        "review": review,
        "release": getattr(review, "release", None),
        "checked": checked,
        "gates": [_gate(person, review, one) for one in checked.gates],
        "waiver_form": waiver_form,
        "form": form or ReviewDecisionForm(initial=_initial(review, vote)),
        "changed": changed or [],
        "answers": answers,
        "answers_in_all": sum_prices(answers),
        "own_vote": vote,
        "released_size": ReportedSubject.of(run.dataset).released_size(run.finished_report),
        "expires_at": expires_at(review),
        "can_change_terms": review.status == Status.CHANGES_REQUESTED
        and not refusal(check_can_change_terms, person, review),
        "asks_for_factor": asks_for_second_factor(review) and not was_factor_given(request),
        "report": seen,
        "verdict": ReportedSubject.of(run.dataset).verdict(seen),
        "rules_sentence": rules_sentence(seen),
        "key_numbers": ReportedSubject.of(run.dataset).key_numbers(seen),
        "rules": describe_rules(seen),
        "sees_rows": can_see_values(person, run.dataset),
        "is_open": review.status == Status.SUBMITTED,
        "can_vote": can_vote,
        "vote_refusal": refusal(check_can_vote, person, review),
        "approve_refusal": refusal(check_can_approve, person, review, checked),
        "take_back_refusal": refusal(check_can_withdraw_request, person, review),
        "resubmit_form": _resubmit_form(person, review),
        "approvals": approvals_of(review),
        "voided": _voided(review),
        "people": standings_of_people(review),
        "has_deciders": bool(who_may_decide(review)),
        "state_words": _state_words(review, is_mine=can_vote and vote is None),
        "states": _states(review),
        "current": "review",
        "help_slug": "review",
        "bar": _bar(review, can_vote=can_vote and vote is None, checked=checked),
        **_talk(request, review, comment_form),
    }
    return render(request, "reviews/show.html", context, status=status)


def _may_read_answers(person: User, review: ReviewRequest) -> bool:
    """Only the author may read the answers of a draft, since nothing was submitted yet."""
    return review.status != Status.DRAFT or person.pk == review.asked_by_id


def _state_words(review: ReviewRequest, *, is_mine: bool) -> str:
    turn = turn_words(review, is_mine=is_mine)
    label = review.get_status_display()
    return f"{label} · {turn}" if turn else label


def _states(review: ReviewRequest) -> list[dict[str, Any]]:
    """Return the states from draft to release or, for closed requests, to their final state."""
    way = [Status.DRAFT, Status.SUBMITTED, Status.APPROVED, Status.RELEASED]
    if review.status not in way:
        way = [Status.DRAFT, Status.SUBMITTED, Status(review.status)]
    now = way.index(Status(review.status))
    return [
        {"label": state.label, "is_now": place == now, "is_past": place < now}
        for place, state in enumerate(way)
    ]


def _initial(review: ReviewRequest, vote: Decision | None) -> dict[str, str]:
    given = {"verdict": vote.verdict, "reason": vote.reason} if vote else {}
    return {**_shown(review), **given}


def _shown(review: ReviewRequest) -> dict[str, str]:
    """Return what a vote is bound to, for the hidden fields of the form."""
    return {"answers": "", **fingerprints_of(review), "round": str(review.round)}


def _gate(person: User, review: ReviewRequest, checked: CheckedGate) -> dict[str, Any]:
    waiver = checked.waiver
    closed = refusal(check_is_open, review) or refusal(check_may_ask_for_waiver, person, review)
    return {
        "checked": checked,
        "gate": checked.gate,
        "has": checked.gate.has_for(sees_values=can_see_values(person, review.run.dataset)),
        "waiver": waiver,
        "evidence": evidence_for(checked.gate.name, review.run),
        "can_ask": checked.fails and (waiver is None or checked.is_outdated) and not closed,
        "agree_refusal": refusal(check_may_agree, person, waiver) if waiver else "",
        "can_agree": waiver is not None
        and waiver.agreed_at is None
        and checked.fails
        and not checked.is_outdated
        and not refusal(check_is_open, review)
        and not refusal(check_may_agree, person, waiver),
    }


def _resubmit_form(person: User, review: ReviewRequest) -> ResubmitForm | None:
    if refusal(check_can_submit, person, review) or review.status == Status.DRAFT:
        return None
    form = ResubmitForm(request=review)
    return form if form.has_runs else None


def _voided(review: ReviewRequest) -> list[ConversationEntry]:
    """Return the votes that became void in a new round."""
    return [entry for entry in conversation_of(review) if entry.is_void]


def _how_it_ended(review: ReviewRequest) -> str:
    if review.status == Status.EXPIRED and not hasattr(review, "release"):
        return "Nobody moved it in time; its author may ask again from the report."
    return "It stays as a record."


def _bar(review: ReviewRequest, *, can_vote: bool, checked: RequestGates) -> NextBar:
    run = review.run
    report = Act("Open report", url=reverse("reports:report", args=[run.id]))
    if review.status == Status.RELEASED:
        there = Act("Go to the release", url=reverse("releases:show", args=[review.release.id]))
        return NextBar("Approved.", "The release is there.", "circle-check", "ok", there)
    if review.status == Status.DRAFT:
        there = Act("Go on with the draft", url=reverse("reviews:edit", args=[review.id]))
        return NextBar("This is a draft.", "Nobody was asked yet.", primary=there)
    if review.status == Status.CHANGES_REQUESTED:
        change = Act(
            "Change the protection", url=reverse("plans:protection", args=[run.dataset_id])
        )
        rest = "Change the plan, run it, and submit that run here."
        return NextBar("Changes were asked for.", rest, "alert-triangle", "warn", change, report)
    if review.status != Status.SUBMITTED:
        return NextBar(f"{review.get_status_display()}.", _how_it_ended(review), primary=report)
    if can_vote and not checked.is_open:
        return NextBar(f"{checked.title}.", "", "alert-triangle", "warn", report)
    if can_vote:
        return NextBar("Your decision is asked for.", "The evidence is above.", primary=report)
    return NextBar("Waiting for the approvers.", "Authors can never vote.", "clock", "", report)
