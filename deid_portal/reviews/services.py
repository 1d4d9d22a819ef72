from django.db import transaction
from django.db.models import Max

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.common.refusals import Refused
from deid_portal.datasets.models import Dataset
from deid_portal.releases.services import create_release
from deid_portal.reviews.models import Comment, Decision, ReviewRequest
from deid_portal.reviews.permissions import check_may_ask, check_may_decide, check_may_withdraw
from deid_portal.reviews.policies import check_can_be_reviewed, check_can_move, check_unchanged
from deid_portal.reviews.telling import (
    tell_that_it_was_asked,
    tell_that_it_was_commented,
    tell_that_it_was_decided,
    tell_that_it_was_withdrawn,
)
from deid_portal.runs.models import Run

TARGET_OF_VERDICT = {
    Decision.Verdict.APPROVE: ReviewRequest.Status.APPROVED,
    Decision.Verdict.ASK_FOR_CHANGES: ReviewRequest.Status.CHANGES_REQUESTED,
}


def check_can_ask(user: User, run: Run) -> None:
    check_may_ask(user, run)
    check_can_be_reviewed(run)


def check_can_decide(user: User, request: ReviewRequest, verdict: Decision.Verdict) -> None:
    check_can_move(request, TARGET_OF_VERDICT[verdict])
    check_may_decide(user, request)


def check_can_withdraw(user: User, request: ReviewRequest) -> None:
    check_can_move(request, ReviewRequest.Status.WITHDRAWN)
    check_may_withdraw(user, request)


@transaction.atomic
def ask_for_review(*, run: Run, asked_by: User, purpose: str) -> ReviewRequest:
    # The lock makes a double click one request: the second sees the first and is refused.
    # Requests are counted per dataset, so the dataset is what has to be held.
    Dataset.objects.select_for_update().get(id=run.dataset_id)
    check_can_ask(asked_by, run)
    requests = ReviewRequest.objects.filter(run__dataset=run.dataset_id)
    last = requests.aggregate(last=Max("number"))["last"]
    request = ReviewRequest.objects.create(
        run=run,
        number=(last or 0) + 1,
        purpose=purpose,
        asked_by=asked_by,
        input_sha256=run.input_sha256,
        plan_sha256=run.plan_sha256,
        engine_version=run.engine_version,
        output_sha256=run.output_sha256,
    )
    _record("review.asked", asked_by, request, {"output_sha256": run.output_sha256})
    tell_that_it_was_asked(request)
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
    """Approve or send back. The row is locked, so of two deciding at once the second is refused."""
    Dataset.objects.select_for_update().get(id=request.run.dataset_id)
    request = ReviewRequest.objects.select_for_update().get(id=request.id)
    check_can_decide(decided_by, request, verdict)
    check_unchanged(request, seen)
    if verdict == Decision.Verdict.ASK_FOR_CHANGES and not reason:
        raise Refused("Say what should change; the reason is kept with the request.")
    decision = Decision.objects.create(
        request=request, verdict=verdict, reason=reason, decided_by=decided_by
    )
    request.status = TARGET_OF_VERDICT[verdict]
    request.save(update_fields=["status", "changed_at"])
    _record(f"review.{request.status.replace('-', '_')}", decided_by, request)
    tell_that_it_was_decided(request, decided_by)
    if request.status == ReviewRequest.Status.APPROVED:
        create_release(request=request, approved_by=decided_by)
    return decision


@transaction.atomic
def withdraw_request(*, request: ReviewRequest, withdrawn_by: User) -> None:
    request = ReviewRequest.objects.select_for_update().get(id=request.id)
    check_can_withdraw(withdrawn_by, request)
    request.status = ReviewRequest.Status.WITHDRAWN
    request.save(update_fields=["status", "changed_at"])
    _record("review.withdrawn", withdrawn_by, request)
    tell_that_it_was_withdrawn(request, withdrawn_by)


@transaction.atomic
def write_comment(*, request: ReviewRequest, written_by: User, text: str) -> Comment:
    """Keep a comment. The audit record says that one was written, not what it says."""
    comment = Comment.objects.create(request=request, written_by=written_by, text=text)
    _record("review.commented", written_by, request)
    tell_that_it_was_commented(request, written_by)
    return comment


def _record(
    action: str, actor: User, request: ReviewRequest, facts: dict[str, str] | None = None
) -> None:
    request.run.dataset.save(update_fields=["changed_at"])
    team = request.run.dataset.team
    record_event(action, actor=actor, team=team, subject=request, facts=facts)
