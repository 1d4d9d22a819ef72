"""Grants: who may download a release, how often and until when.

The first grants come from the approved request. Later a steward may name more members of the team
and change terms, up to what the policy allows or what was approved with the request, whichever is
more: terms beyond the policy were approved by a waiver.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.selectors import people_with_role
from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.policies.selectors import policy_in_force
from deid_portal.releases.models import Grant, Release
from deid_portal.releases.notifications import (
    tell_that_a_period_was_asked_for,
    tell_that_it_is_open,
    tell_that_no_period_is_given,
    tell_that_terms_changed,
)
from deid_portal.releases.permissions import check_may_hand_over, team_of_release
from deid_portal.releases.policies import check_not_withdrawn
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.policies import move_request
from deid_portal.web.refusals import Refused


@dataclass(frozen=True)
class GrantTerms:
    """Days from now, and total number of downloads."""

    days: int
    times: int


def most_allowed(release: Release) -> GrantTerms:
    """Return the most generous terms a person can get."""
    rules, request = policy_in_force(team_of_release(release)).rules, release.request
    return GrantTerms(
        max(rules.download_days, request.download_days),
        max(rules.downloads_per_person, request.downloads_per_person),
    )


def check_terms(release: Release, terms: GrantTerms) -> None:
    most = most_allowed(release)
    if not 1 <= terms.days <= most.days:
        raise Refused(f"Your policy allows 1 to {most.days:,} days.")
    if not 1 <= terms.times <= most.times:
        raise Refused(f"Your policy allows 1 to {most.times:,} downloads per person.")


def people_to_name(release: Release) -> QuerySet[User]:
    """Return the members of the team, in any role, who are not named yet."""
    members = User.objects.filter(
        memberships__team=team_of_release(release), is_active=True
    ).distinct()
    return members.exclude(pk__in=release.grants.values("person")).order_by("username")


def named_in_request(request: ReviewRequest) -> Iterable[User]:
    """Return the recipients of the request or, if there are none, the analysts of the team."""
    named = list(request.recipients.filter(is_active=True).order_by("username"))
    return named or people_with_role(request.run.dataset.team, Role.ANALYST)


def open_to_the_named(release: Release) -> list[Grant]:
    """Create the grants of the request; part of making the release and of its audit record."""
    request = release.request
    terms = GrantTerms(request.download_days, request.downloads_per_person)
    return [
        _grant(release, person, terms, release.approved_by) for person in named_in_request(request)
    ]


def _grant(release: Release, person: User, terms: GrantTerms, granted_by: User) -> Grant:
    return Grant.objects.create(
        release=release,
        person=person,
        granted_by=granted_by,
        expires_at=timezone.now() + timedelta(days=terms.days),
        allowed=terms.times,
    )


@transaction.atomic
def name_person(*, release: Release, person: User, terms: GrantTerms, named_by: User) -> Grant:
    """Grant another member of the team the download."""
    release = _hold_open(release, named_by)
    check_terms(release, terms)
    if not people_to_name(release).filter(pk=person.pk).exists():
        raise Refused("Choose a member of the team who is not named yet.")
    grant = _grant(release, person, terms, named_by)
    _reopen(release)
    _record("release.person_named", named_by, grant, terms)
    tell_that_it_is_open([person], release, but=named_by)
    return grant


@transaction.atomic
def change_terms(*, grant: Grant, terms: GrantTerms, changed_by: User) -> Grant:
    """Start a new period with these terms, which also answers a request for one."""
    release = _hold_open(grant.release, changed_by)
    check_terms(release, terms)
    grant = Grant.objects.select_for_update().get(pk=grant.pk)
    if terms.times < grant.taken:
        raise Refused(f"It was taken {grant.taken:,} times already; allow at least as many.")
    grant.expires_at = timezone.now() + timedelta(days=terms.days)
    grant.allowed, grant.asked_at = terms.times, None
    grant.save(update_fields=["expires_at", "allowed", "asked_at"])
    _reopen(release)
    _record("release.terms_changed", changed_by, grant, terms)
    tell_that_terms_changed(grant, but=changed_by)
    return grant


@transaction.atomic
def end_period(*, grant: Grant, ended_by: User) -> None:
    """End a person's period at once."""
    _hold_open(grant.release, ended_by)
    grant = Grant.objects.select_for_update().get(pk=grant.pk)
    now = timezone.now()
    if grant.is_over(now):
        raise Refused("This period is over already.")
    grant.expires_at, grant.asked_at = now, None
    grant.save(update_fields=["expires_at", "asked_at"])
    _record("release.period_ended", ended_by, grant)
    tell_that_terms_changed(grant, but=ended_by)


def check_can_ask_for_period(grant: Grant | None) -> None:
    """Allow one request, and only after the period is over or the downloads are used up."""
    if grant is None:
        raise Refused("Only the people named for a release can ask for a new period.")
    check_not_withdrawn(grant.release)
    if grant.is_open(timezone.now()):
        raise Refused("You can still download it; there is nothing to ask for.")
    if grant.asked_at is not None:
        raise Refused("You have asked already; a steward of the team answers.")


@transaction.atomic
def ask_for_period(*, grant: Grant) -> None:
    """Ask the stewards for a new period."""
    grant = Grant.objects.select_for_update().get(pk=grant.pk)
    check_can_ask_for_period(grant)
    grant.asked_at = timezone.now()
    grant.save(update_fields=["asked_at"])
    _record("release.period_asked", grant.person, grant)
    tell_that_a_period_was_asked_for(grant)


@transaction.atomic
def decline_period(*, grant: Grant, declined_by: User) -> None:
    _hold_open(grant.release, declined_by)
    grant = Grant.objects.select_for_update().get(pk=grant.pk)
    if grant.asked_at is None:
        raise Refused("Nobody waits for an answer here any more.")
    grant.asked_at = None
    grant.save(update_fields=["asked_at"])
    _record("release.period_declined", declined_by, grant)
    tell_that_no_period_is_given(grant, but=declined_by)


def hold_release(release: Release) -> Release:
    """Lock the dataset first, then the request; this order prevents deadlocks."""
    Dataset.objects.select_for_update().get(id=release.request.run.dataset_id)
    ReviewRequest.objects.select_for_update().get(id=release.request_id)
    return Release.objects.select_for_update().get(id=release.id)


def _hold_open(release: Release, changed_by: User) -> Release:
    check_may_hand_over(changed_by, release)
    release = hold_release(release)
    check_not_withdrawn(release)
    return release


def _reopen(release: Release) -> None:
    """Set an expired release back to released, since somebody can download again."""
    request = release.request
    if request.status == ReviewRequest.Status.EXPIRED:
        move_request(request, ReviewRequest.Status.RELEASED)
        request.save(update_fields=["status", "changed_at"])


def _record(action: str, actor: User, grant: Grant, terms: GrantTerms | None = None) -> None:
    """Audit a change of a grant, with the id of the person and the terms."""
    facts: dict[str, int] = {"person": grant.person_id}
    if terms is not None:
        facts |= {"days": terms.days, "times": terms.times}
    record_event(
        action,
        actor=actor,
        team=team_of_release(grant.release),
        subject=grant.release,
        facts=facts,
    )
