from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import has_role
from deid_portal.reviews.models import ReviewRequest
from deid_portal.runs.selectors import HEAVY, visible_runs

Status = ReviewRequest.Status


def visible_requests(user: User) -> QuerySet[ReviewRequest]:
    deferred = [f"run__{name}" for name in HEAVY]
    return (
        ReviewRequest.objects.filter(run__in=visible_runs(user))
        .select_related("run__dataset__team", "run__started_by", "asked_by")
        .defer(*deferred)
    )


def get_request_or_404(user: User, request_id: UUID) -> ReviewRequest:
    return get_object_or_404(visible_requests(user), id=request_id)


def requests_of_team(user: User, team: Team) -> QuerySet[ReviewRequest]:
    return visible_requests(user).filter(run__dataset__team=team)


def requests_awaiting(user: User, team: Team) -> list[ReviewRequest]:
    """Return what waits for this person: decisions for an approver, answers for an author."""
    waiting = Q(pk=None)
    if has_role(user, team, Role.APPROVER):
        own = Q(asked_by=user) | Q(run__started_by=user) | Q(run__planned_by=user)
        waiting |= Q(status=Status.SUBMITTED) & ~own
    if has_role(user, team, Role.STEWARD):
        waiting |= Q(status=Status.CHANGES_REQUESTED, asked_by=user)
    # A returned request is answered by a newer one for the same dataset.
    newer = ReviewRequest.objects.filter(
        run__dataset=OuterRef("run__dataset"), asked_at__gt=OuterRef("changed_at")
    )
    answered = Q(status=Status.CHANGES_REQUESTED) & Exists(newer)
    return list(
        requests_of_team(user, team).filter(waiting).exclude(answered).order_by("changed_at")
    )


def conversation_of(request: ReviewRequest) -> list[dict[str, Any]]:
    """Return comments and decisions in the order they were made."""
    entries = [
        {"at": row.written_at, "by": row.written_by, "text": row.text, "verdict": ""}
        for row in request.comments.select_related("written_by")
    ] + [
        {
            "at": row.decided_at,
            "by": row.decided_by,
            "text": row.reason,
            "verdict": row.verdict,
        }
        for row in request.decisions.select_related("decided_by")
    ]
    return sorted(entries, key=lambda entry: entry["at"])
