from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from django.utils import timezone

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.accounts.selectors import teams_of
from deid_portal.releases.access import ReleaseStanding, stand
from deid_portal.releases.models import Download, Grant, Package, Release, TableFormat
from deid_portal.releases.permissions import team_of_release
from deid_portal.runs.selectors import HEAVY

FRESH_DAYS = 14  # how long home says that a release was not taken yet


def _count_downloads() -> Coalesce:
    """Count in a subquery: grouping by row would include its large sealed documents."""
    downloads = Download.objects.filter(release=OuterRef("pk")).order_by()
    counted = downloads.values("release").annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0)


def visible_releases(user: User) -> QuerySet[Release]:
    """Return the releases of the user's teams; every member may see them, analysts included."""
    return (
        Release.objects.filter(request__run__dataset__team__in=teams_of(user))
        .select_related("request__run__dataset__team", "request__asked_by", "approved_by")
        .annotate(download_count=_count_downloads())
    )


def get_release_or_404(user: User, release_id: UUID) -> Release:
    return get_object_or_404(visible_releases(user), id=release_id)


def get_grant_or_404(release: Release, grant_id: UUID) -> Grant:
    grants = release.grants.select_related("person", "release__request__run__dataset__team")
    return get_object_or_404(grants, id=grant_id)


def grant_of(user: User, release: Release) -> Grant | None:
    return release.grants.filter(person=user).select_related("release").first()


def sees_everybody(user: User, team: Team) -> bool:
    """Say whether a person may see all grants; analysts see only their own."""
    return bool(roles_of(user, team) & DATASET_ROLES)


def grants_seen_by(user: User, release: Release) -> QuerySet[Grant]:
    grants = release.grants.select_related("person").order_by("granted_at", "person__username")
    return grants if sees_everybody(user, team_of_release(release)) else grants.filter(person=user)


FILTERS = {
    "all": ("All", Q()),
    "open": ("Open", Q(withdrawn_at=None, is_running=True)),
    "ended": ("Ended", Q(withdrawn_at=None, is_running=False)),
    "withdrawn": ("Withdrawn", Q(withdrawn_at__isnull=False)),
}


def releases_of_team(user: User, team: Team) -> QuerySet[Release]:
    """Return the team's releases, newest first, without the documents of their runs."""
    heavy = [f"request__run__{name}" for name in HEAVY]
    releases = visible_releases(user).filter(request__run__dataset__team=team)
    csv = Package.objects.filter(format=TableFormat.CSV).only("release", "status", "format")
    return (
        releases.defer(*heavy)
        .prefetch_related(Prefetch("grants", _known_grants(user, team)), Prefetch("packages", csv))
        .order_by("-released_at")
    )


def filter_releases(
    releases: QuerySet[Release], user: User, team: Team, *, show: str, wanted: str
) -> QuerySet[Release]:
    """Filter by state, and by a text in the dataset's name or the purpose."""
    own = _known_grants(user, team).filter(release=OuterRef("pk"), expires_at__gt=timezone.now())
    shown = releases.annotate(is_running=Exists(own)).filter(FILTERS[show][1])
    if not wanted:
        return shown
    by_name = Q(request__run__dataset__name__icontains=wanted)
    return shown.filter(by_name | Q(request__purpose__icontains=wanted))


def _known_grants(user: User, team: Team) -> QuerySet[Grant]:
    return Grant.objects.all() if sees_everybody(user, team) else Grant.objects.filter(person=user)


@dataclass(frozen=True)
class ReleaseLine:
    release: Release
    standing: ReleaseStanding


def describe_releases(releases: Iterable[Release]) -> list[ReleaseLine]:
    """Describe the access state of releases from `releases_of_team`."""
    now = timezone.now()
    return [
        ReleaseLine(
            release,
            stand(
                release, list(release.grants.all()), next(iter(release.packages.all()), None), now
            ),
        )
        for release in releases
    ]


def fresh_grants_of_team(team: Team) -> QuerySet[Grant]:
    """Return the grants of the last days whose packages are there and were not taken yet."""
    now = timezone.now()
    return Grant.objects.filter(
        release__request__run__dataset__team=team,
        release__withdrawn_at=None,
        release__packages__format=TableFormat.CSV,
        release__packages__status=Package.Status.FINISHED,
        taken=0,
        expires_at__gt=now,
        granted_at__gt=now - timedelta(days=FRESH_DAYS),
    )


def fresh_grants(user: User, team: Team) -> list[Grant]:
    """Return those of them that are a person's, oldest first."""
    heavy = [f"release__request__run__{name}" for name in HEAVY]
    related = fresh_grants_of_team(team).select_related("release__request__run__dataset")
    return list(related.filter(person=user).defer(*heavy).order_by("granted_at"))


def periods_asked_for(team: Team) -> list[Grant]:
    """Return the grants with an unanswered request for a new period, oldest first."""
    waiting = Grant.objects.filter(
        release__request__run__dataset__team=team,
        release__withdrawn_at=None,
        asked_at__isnull=False,
    )
    heavy = [f"release__request__run__{name}" for name in HEAVY]
    related = waiting.select_related("person", "release__request__run__dataset")
    return list(related.defer(*heavy).order_by("asked_at"))
