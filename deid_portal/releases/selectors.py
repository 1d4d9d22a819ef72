from uuid import UUID

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.selectors import teams_of
from deid_portal.releases.models import Release


def visible_releases(user: User) -> QuerySet[Release]:
    """Every member of a team, analysts included, may know what the team has released."""
    return (
        Release.objects.filter(request__run__dataset__team__in=teams_of(user))
        .select_related("request__run__dataset__team", "request__asked_by", "approved_by")
        .annotate(download_count=Count("downloads"))
    )


def get_release_or_404(user: User, release_id: UUID) -> Release:
    return get_object_or_404(visible_releases(user), id=release_id)


def releases_of_team(user: User, team: Team) -> QuerySet[Release]:
    return visible_releases(user).filter(request__run__dataset__team=team).order_by("-released_at")
