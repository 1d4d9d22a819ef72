"""Reminders for review requests that are not acted on, and their expiry.

The policy sets the numbers of days. Both are done under the lock of the request, so that two
workers at the same moment do each only once.
"""

from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from deid_portal.accounts.models import User
from deid_portal.audit.services import record_event
from deid_portal.policies.selectors import in_force_since, policy_in_force
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.notifications import tell_that_it_still_waits, tell_that_request_expired
from deid_portal.reviews.permissions import team_of_request
from deid_portal.reviews.policies import move_request
from deid_portal.reviews.selectors import whose_turn_it_is
from deid_portal.reviews.services import lock_request

Status = ReviewRequest.Status
# States that wait for somebody to act; a draft is not among them.
WAITING = (Status.SUBMITTED, Status.CHANGES_REQUESTED)


def expires_at(request: ReviewRequest) -> datetime | None:
    """Return when a request expires unless somebody acts on it.

    A changed number of days counts from the change on; otherwise saving a policy could make older
    requests expire at once.
    """
    team = team_of_request(request)
    days = policy_in_force(team).rules.decision_days
    if not days or request.status not in WAITING:
        return None
    begun = waits_since(request)
    return max(begun, in_force_since(team, "decision_days") or begun) + timedelta(days=days)


def waits_since(request: ReviewRequest) -> datetime:
    return max(request.changed_at, request.days_counted_from or request.changed_at)


def waiting_requests() -> list[UUID]:
    waiting = ReviewRequest.objects.filter(status__in=WAITING).order_by("changed_at")
    return list(waiting.values_list("id", flat=True))


@transaction.atomic
def look_after(request_id: UUID, now: datetime) -> None:
    """Expire a request whose time is over, or send a reminder if one is due."""
    request = lock_request(ReviewRequest.objects.select_related("run").get(id=request_id))
    if request.status not in WAITING:
        return
    end = expires_at(request)
    if end is not None and now >= end:
        _expire(request)
    elif _is_reminder_due(request, now):
        _remind(request, now)


def _expire(request: ReviewRequest) -> None:
    move_request(request, Status.EXPIRED)
    request.save(update_fields=["status", "changed_at"])
    record_event("review.expired", actor=None, team=team_of_request(request), subject=request)
    tell_that_request_expired(request)


def _is_reminder_due(request: ReviewRequest, now: datetime) -> bool:
    days = policy_in_force(team_of_request(request)).rules.reminder_days
    begun = waits_since(request)
    last = max(begun, request.reminded_at or begun)
    return bool(days) and now >= last + timedelta(days=days)


def _remind(request: ReviewRequest, now: datetime) -> None:
    """Send a reminder; `changed_at` is kept, since a reminder must not postpone the expiry."""
    ReviewRequest.objects.filter(id=request.id).update(reminded_at=now)
    people: list[User] = whose_turn_it_is(request)
    if not people:
        return
    days = (now - request.changed_at).days
    facts = {"people": len(people), "days": days}
    record_event(
        "review.reminded", actor=None, team=team_of_request(request), subject=request, facts=facts
    )
    tell_that_it_still_waits(request, people, days)
