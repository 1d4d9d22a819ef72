"""Writes to review requests. Each locks the dataset, then the request, and is audited."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.policies.selectors import policy_in_force
from deid_portal.querydesk.models import Question
from deid_portal.querydesk.released_answers import (
    answers_to_hand_over,
    fingerprint_of_answers,
    to_documents,
)
from deid_portal.releases.services import create_release
from deid_portal.reviews.gates import RequestGates, gates_of, measured_of
from deid_portal.reviews.models import Comment, Decision, ReviewRequest, Waiver
from deid_portal.reviews.notifications import (
    tell_that_it_was_asked,
    tell_that_it_was_commented,
    tell_that_it_was_decided,
    tell_that_request_was_withdrawn,
    tell_that_votes_are_void,
)
from deid_portal.reviews.permissions import (
    check_is_author,
    check_may_agree,
    check_may_ask_for_review,
    check_may_ask_for_waiver,
    check_may_comment,
    check_may_decide,
    standing_approvals,
    team_of_request,
)
from deid_portal.reviews.policies import (
    TARGET_OF_VERDICT,
    begin_round,
    check_can_be_reviewed,
    check_can_move,
    check_drawn_in_secret,
    check_is_open,
    check_takes_votes,
    check_unchanged,
    fingerprints_of_run,
    is_about,
    move_request,
)
from deid_portal.runs.models import Run
from deid_portal.web.refusals import Refused

Status = ReviewRequest.Status
NEEDS_A_REASON = (Decision.Verdict.ASK_FOR_CHANGES, Decision.Verdict.REJECT)


@dataclass(frozen=True)
class RequestTerms:
    """What the author asks for besides the run: recipients, terms, confirmations.

    Also the noisy answers that are released with it.
    """

    purpose: str
    recipients: Iterable[User] = ()
    download_days: int | None = None  # None: as the policy allows
    downloads_per_person: int | None = None
    confirmed: list[str] = field(default_factory=list)
    answers: Iterable[Question] = ()


def check_can_ask(user: User, run: Run) -> None:
    check_may_ask_for_review(user, run)
    check_can_be_reviewed(run)


def check_can_vote(user: User, request: ReviewRequest) -> None:
    check_takes_votes(request)
    check_may_decide(user, request)


def check_can_approve(user: User, request: ReviewRequest, checked: RequestGates) -> None:
    check_can_vote(user, request)
    check_drawn_in_secret(request.run)
    if checked.fails:
        raise Refused(
            "Opens when no gate fails. A waiver needs a written reason and a second person."
        )
    if checked.waits:
        raise Refused("Opens when the attacks at work have ended, or were stopped.")


def check_can_withdraw_request(user: User, request: ReviewRequest) -> None:
    if request.status == Status.RELEASED:
        raise Refused("It was released; withdraw the release instead.")
    check_can_move(request, Status.WITHDRAWN)
    check_is_author(user, request)


def check_can_submit(user: User, request: ReviewRequest) -> None:
    check_is_author(user, request)
    if request.status != Status.SUBMITTED:
        check_can_move(request, Status.SUBMITTED)


@transaction.atomic
def ask_for_review(
    *, run: Run, asked_by: User, terms: RequestTerms, as_draft: bool = False
) -> ReviewRequest:
    # With the lock a double click makes one request: the second sees the first and is refused.
    # Requests are numbered per dataset, so the dataset is locked.
    Dataset.objects.select_for_update().get(id=run.dataset_id)
    check_can_ask(asked_by, run)
    requests = ReviewRequest.objects.filter(run__dataset=run.dataset_id)
    last = requests.aggregate(last=Max("number"))["last"]
    prints = fingerprints_of_run(run)
    request = ReviewRequest(
        run=run,
        number=(last or 0) + 1,
        status=Status.DRAFT if as_draft else Status.SUBMITTED,
        asked_by=asked_by,
        input_sha256=prints["input"],
        plan_sha256=prints["plan"],
        engine_version=prints["engine"],
        output_sha256=prints["output"],
        round_began_at=timezone.now(),
    )
    _set_terms(request, terms)
    action = "review.drafted" if as_draft else "review.asked"
    facts = {"output_sha256": run.output_sha256, **_count_answers(request)}
    _record(action, asked_by, request, facts)
    if not as_draft:
        tell_that_it_was_asked(request, gates_of(request).tally)
    return request


def _set_terms(request: ReviewRequest, terms: RequestTerms) -> None:
    rules = policy_in_force(team_of_request(request)).rules
    request.purpose = terms.purpose
    request.download_days = terms.download_days or rules.download_days
    request.downloads_per_person = terms.downloads_per_person or rules.downloads_per_person
    request.confirmed = terms.confirmed
    answers = _own_answers(request, terms)
    request.answers_sha256 = fingerprint_of_answers(to_documents(answers))
    request.save()
    request.recipients.set(terms.recipients)
    request.answers.set(answers)


def _own_answers(request: ReviewRequest, terms: RequestTerms) -> list[Question]:
    """Read the chosen answers again; authors may release answers to their own questions only."""
    asked_for = {question.pk for question in terms.answers}
    if not asked_for:
        return []
    own = answers_to_hand_over(request.asked_by, request.run.dataset)
    found = list(own.filter(pk__in=asked_for))
    if len(found) != len(asked_for):
        raise Refused("Only answers to your own questions about this dataset can be handed over.")
    return found


def _count_answers(request: ReviewRequest) -> dict[str, int]:
    count = request.answers.count()
    return {"answers": count} if count else {}


def check_can_change_terms(user: User, request: ReviewRequest) -> None:
    """Terms change only while nobody can vote: in a draft, or after changes were asked for."""
    if request.status not in (Status.DRAFT, Status.CHANGES_REQUESTED):
        raise Refused("This request was handed in; it can no longer be edited.")
    check_can_submit(user, request)


@transaction.atomic
def change_draft(
    *, request: ReviewRequest, changed_by: User, terms: RequestTerms, submit: bool
) -> ReviewRequest:
    """Store the terms of a draft, and submit it if asked to.

    After changes were asked for, the request is submitted at once in a new round, since votes were
    on other terms.
    """
    request = lock_request(request)
    check_can_change_terms(changed_by, request)
    if request.status == Status.CHANGES_REQUESTED:
        begin_round(request, request.run)
        submit = True
    _set_terms(request, terms)
    if submit:
        _move(request, Status.SUBMITTED, changed_by, "review.asked", _count_answers(request))
        tell_that_it_was_asked(request, gates_of(request).tally)
    else:
        _record("review.drafted", changed_by, request, _count_answers(request))
    return request


@transaction.atomic
def resubmit(*, request: ReviewRequest, run: Run, submitted_by: User) -> ReviewRequest:
    """Submit again with the same or a better run; earlier votes become void."""
    request = lock_request(request)
    check_can_submit(submitted_by, request)
    if run.dataset_id != request.run.dataset_id:
        raise Refused("This run is of another dataset.")
    check_can_be_reviewed(run, but=request)
    if request.status == Status.SUBMITTED and is_about(request, run):
        raise Refused("This is the run the request is about already.")
    voided = request.decisions.filter(round=request.round).count()
    begin_round(request, run)
    if request.status != Status.SUBMITTED:
        move_request(request, Status.SUBMITTED)
    request.save()
    facts = {"round": request.round, "votes_voided": voided, "output_sha256": run.output_sha256}
    _record("review.resubmitted", submitted_by, request, facts)
    tell = tell_that_votes_are_void if voided else tell_that_it_was_asked
    tell(request, gates_of(request).tally)
    return request


@transaction.atomic
def decide(
    *,
    request: ReviewRequest,
    decided_by: User,
    verdict: Decision.Verdict,
    reason: str,
    seen: dict[str, str],
) -> Decision:
    """Vote. Locks make simultaneous votes count one after the other.

    Asking for changes and rejecting take effect at once, approving with enough approvals.
    """
    request = lock_request(request)
    check_can_vote(decided_by, request)
    check_unchanged(request, seen)
    checked = gates_of(request)
    if verdict in NEEDS_A_REASON and not reason:
        raise Refused("Say why; the reason is kept with the request.")
    if verdict == Decision.Verdict.APPROVE:
        check_can_approve(decided_by, request, checked)
    decision, _ = Decision.objects.update_or_create(
        request=request,
        round=request.round,
        decided_by=decided_by,
        defaults={"verdict": verdict, "reason": reason},
    )
    _record("review.voted", decided_by, request, {"verdict": verdict, "round": request.round})
    if verdict != Decision.Verdict.APPROVE:
        action = f"review.{TARGET_OF_VERDICT[verdict].replace('-', '_')}"
        _move(request, TARGET_OF_VERDICT[verdict], decided_by, action)
        tell_that_it_was_decided(request, decided_by, checked.tally)
    elif approvals_of(request) >= policy_in_force(team_of_request(request)).rules.approvals:
        _move(request, Status.APPROVED, decided_by, "review.approved")
        tell_that_it_was_decided(request, decided_by, checked.tally)
        create_release(request=request, approved_by=decided_by)
    return decision


def approvals_of(request: ReviewRequest) -> int:
    """Count the valid approvals of this round."""
    return standing_approvals(request).count()


@transaction.atomic
def withdraw_request(*, request: ReviewRequest, withdrawn_by: User) -> None:
    request = lock_request(request)
    check_can_withdraw_request(withdrawn_by, request)
    _move(request, Status.WITHDRAWN, withdrawn_by, "review.withdrawn")
    tell_that_request_was_withdrawn(request, withdrawn_by)


@transaction.atomic
def ask_for_waiver(*, request: ReviewRequest, asked_by: User, gate: str, reason: str) -> Waiver:
    """Ask for a waiver of a failing gate, which is not valid until a second person agrees."""
    request = lock_request(request)
    check_is_open(request)
    check_may_ask_for_waiver(asked_by, request)
    failing = {own.gate.name: own for own in gates_of(request).gates if own.gate.fails}
    if gate not in failing:
        raise Refused("This gate does not fail, so there is nothing to waive.")
    if not reason.strip():
        raise Refused("Write why this may pass; the reason is printed on the certificate.")
    before = failing[gate].waiver
    if before is not None and not failing[gate].is_outdated:
        raise Refused("A waiver of this gate was already asked for.")
    waiver = before or Waiver(request=request, round=request.round, gate=gate)
    waiver.measured = measured_of(failing[gate].gate)
    waiver.reason, waiver.asked_by, waiver.asked_at = reason, asked_by, timezone.now()
    waiver.agreed_by = waiver.agreed_at = None
    waiver.save()
    _record("review.waiver_asked", asked_by, request, {"gate": gate})
    return waiver


@transaction.atomic
def agree_to_waiver(*, waiver: Waiver, agreed_by: User) -> None:
    request = lock_request(waiver.request)
    waiver = request.waivers.select_for_update().get(id=waiver.id)
    check_is_open(request)
    check_may_agree(agreed_by, waiver)
    if waiver.round != request.round:
        raise Refused("The release has changed since; the waiver no longer counts.")
    checked = {own.gate.name: own for own in gates_of(request).gates}.get(waiver.gate)
    if checked is None or not checked.gate.fails:
        raise Refused("This gate does not fail any more, so there is nothing to waive.")
    if checked.is_outdated:
        raise Refused("What was measured has changed since; the waiver has to be asked for again.")
    if waiver.agreed_at is not None:
        raise Refused("Somebody has agreed to this waiver already.")
    waiver.agreed_by, waiver.agreed_at = agreed_by, timezone.now()
    waiver.save(update_fields=["agreed_by", "agreed_at"])
    _record("review.waiver_agreed", agreed_by, request, {"gate": waiver.gate})


@transaction.atomic
def write_comment(
    *,
    request: ReviewRequest,
    written_by: User,
    text: str,
    about: str = Comment.About.REQUEST,
    about_name: str = "",
) -> Comment:
    """Store a comment. The audit record does not contain its text."""
    check_may_comment(written_by, request)
    comment = Comment.objects.create(
        request=request, written_by=written_by, text=text, about=about, about_name=about_name
    )
    _record("review.commented", written_by, request)
    tell_that_it_was_commented(request, written_by)
    return comment


@transaction.atomic
def mark_answered(*, comment: Comment, answered_by: User) -> None:
    check_may_comment(answered_by, comment.request)
    if comment.answered_at is not None:
        return
    comment.answered_by, comment.answered_at = answered_by, timezone.now()
    comment.save(update_fields=["answered_by", "answered_at"])
    _record("review.comment_answered", answered_by, comment.request)


def lock_request(request: ReviewRequest) -> ReviewRequest:
    """Lock the dataset first, then the request; this order prevents deadlocks."""
    Dataset.objects.select_for_update().get(id=request.run.dataset_id)
    return ReviewRequest.objects.select_for_update().get(id=request.id)


def _move(
    request: ReviewRequest,
    target: Status,
    actor: User,
    action: str,
    facts: dict[str, Any] | None = None,
) -> None:
    move_request(request, target)
    request.save(update_fields=["status", "changed_at"])
    _record(action, actor, request, facts)


def _record(
    action: str, actor: User, request: ReviewRequest, facts: dict[str, Any] | None = None
) -> None:
    request.run.dataset.save(update_fields=["changed_at"])
    record_event(action, actor=actor, team=team_of_request(request), subject=request, facts=facts)
