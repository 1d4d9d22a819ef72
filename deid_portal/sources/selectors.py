from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.permissions import DATASET_ROLES
from deid_portal.sources.models import Connection, Fetch
from deid_portal.sources.policies import check_can_be_used
from deid_portal.sources.postgresql import TableName, list_tables
from deid_portal.work.leases import OPEN_STATUSES


def connections_of(team: Team) -> QuerySet[Connection]:
    return Connection.objects.filter(team=team).select_related("created_by")


def open_fetches_of(team: Team) -> QuerySet[Fetch]:
    return Fetch.objects.filter(team=team, status__in=OPEN_STATUSES).select_related("asked_by")


def get_connection_or_404(user: User, connection_id: UUID) -> Connection:
    visible = Connection.objects.filter(
        team__memberships__user=user, team__memberships__role__in=DATASET_ROLES
    )
    return get_object_or_404(visible.select_related("team").distinct(), id=connection_id)


def get_fetch_or_404(user: User, fetch_id: UUID) -> Fetch:
    visible = Fetch.objects.filter(
        team__memberships__user=user, team__memberships__role__in=DATASET_ROLES
    )
    return get_object_or_404(visible.select_related("team", "connection").distinct(), id=fetch_id)


def tables_of(connection: Connection) -> list[TableName]:
    """Ask the database what can be read; seconds where it is slow to answer."""
    check_can_be_used(connection)
    return list_tables(connection.address)
