from uuid import UUID

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.selectors import teams_of
from deid_portal.releases.models import Download, Release
from deid_portal.runs.selectors import HEAVY


def _count_downloads() -> Coalesce:
    """Count in a subquery: grouping the whole row would drag its sealed documents along."""
    downloads = Download.objects.filter(release=OuterRef("pk")).order_by()
    counted = downloads.values("release").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)


def visible_releases(user: User) -> QuerySet[Release]:
    """Every member of a team, analysts included, may know what the team has released."""
    return (
        Release.objects.filter(request__run__dataset__team__in=teams_of(user))
        .select_related("request__run__dataset__team", "request__asked_by", "approved_by")
        .annotate(download_count=_count_downloads())
    )


def get_release_or_404(user: User, release_id: UUID) -> Release:
    return get_object_or_404(visible_releases(user), id=release_id)


def releases_of_team(user: User, team: Team) -> QuerySet[Release]:
    """Return the team's releases, newest first, without the documents of their runs."""
    heavy = [f"request__run__{name}" for name in HEAVY]
    releases = visible_releases(user).filter(request__run__dataset__team=team)
    return releases.defer(*heavy).order_by("-released_at")
