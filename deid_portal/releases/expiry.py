"""Expiry of releases whose last period is over, run by the scheduler."""

from django.db import transaction
from django.utils import timezone

from deid_portal.audit.services import record_event
from deid_portal.releases.grants import hold_release
from deid_portal.releases.models import Grant, Release
from deid_portal.releases.notifications import tell_that_release_expired
from deid_portal.releases.permissions import team_of_release
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.policies import move_request

Status = ReviewRequest.Status


def expire_releases() -> int:
    """Set releases whose last period is over to expired; return how many."""
    still_open = Grant.objects.filter(expires_at__gt=timezone.now()).values("release")
    over = Release.objects.filter(request__status=Status.RELEASED, grants__isnull=False)
    ids = list(over.exclude(id__in=still_open).values_list("id", flat=True).distinct())
    return sum(_expire(release) for release in Release.objects.filter(id__in=ids))


@transaction.atomic
def _expire(release: Release) -> bool:
    """Check again under the lock, since somebody may just have got a new period."""
    release = hold_release(release)
    is_open = release.grants.filter(expires_at__gt=timezone.now()).exists()
    if is_open or release.request.status != Status.RELEASED:
        return False
    move_request(release.request, Status.EXPIRED)
    release.request.save(update_fields=["status", "changed_at"])
    record_event("release.expired", actor=None, team=team_of_release(release), subject=release)
    tell_that_release_expired(release)
    return True
