from uuid import UUID

from django.db.models import Count, QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.permissions import DATASET_ROLES
from deid_portal.datasets.models import PseudonymKey
from deid_portal.pseudonyms.models import WayBack


def keys_of(team: Team) -> QuerySet[PseudonymKey]:
    """Return the keys, newest first, each with the number of ways back that need it."""
    return PseudonymKey.objects.filter(team=team).annotate(needed_by=Count("ways_back"))


def ways_back_of(team: Team) -> QuerySet[WayBack]:
    return (
        WayBack.objects.filter(dataset__team=team)
        .select_related("dataset", "key")
        .annotate(looked_up=Count("look_ups"))
    )


def get_way_back_or_404(user: User, way_back_id: UUID) -> WayBack:
    visible = WayBack.objects.filter(
        dataset__team__memberships__user=user,
        dataset__team__memberships__role__in=DATASET_ROLES,
    ).distinct()
    return get_object_or_404(visible.select_related("dataset__team", "key"), id=way_back_id)
