"""Changing connections and fetches. Every change leaves an audit record without the password."""

from dataclasses import asdict

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.sources.models import Connection, Fetch
from deid_portal.sources.permissions import check_can_read_databases
from deid_portal.sources.policies import (
    Server,
    check_can_be_used,
    check_not_being_used,
    check_server_is_allowed,
)
from deid_portal.sources.postgresql import Address, TableOrQuery, list_tables
from deid_portal.sources.tasks import fetch_table
from deid_portal.work.leases import queue, request_stop


@sensitive_variables("address")
def add_connection(*, team: Team, added_by: User, name: str, address: Address) -> Connection:
    """Store a connection if it works; raises SourceProblem otherwise."""
    check_can_read_databases(added_by, team)
    check_server_is_allowed(Server(address.host, address.port))
    list_tables(address)
    with transaction.atomic():
        connection = Connection.objects.create(
            team=team, name=name, sealed=asdict(address), created_by=added_by
        )
        _record("source.connection_added", added_by, connection)
    return connection


@sensitive_variables("password", "address")
def change_password(*, connection: Connection, changed_by: User, password: str) -> None:
    """Replace the password by another one that works."""
    check_can_read_databases(changed_by, connection.team)
    check_can_be_used(connection)
    address = Address(**{**vars(connection.address), "password": password})
    list_tables(address)
    with transaction.atomic():
        connection.sealed = asdict(address)
        connection.save(update_fields=["sealed"])
        _record("source.password_changed", changed_by, connection)


@transaction.atomic
def remove_connection(*, connection: Connection, removed_by: User) -> None:
    check_can_read_databases(removed_by, connection.team)
    locked = Connection.objects.select_for_update().get(id=connection.id)
    check_not_being_used(locked)
    _record("source.connection_removed", removed_by, locked)
    locked.delete()


@transaction.atomic
def start_fetch(
    *, connection: Connection, asked_by: User, question: TableOrQuery, name: str
) -> Fetch:
    """Start copying a table or the result of a query in the background."""
    check_can_read_databases(asked_by, connection.team)
    check_can_be_used(connection)
    fetch = Fetch.objects.create(
        team=connection.team,
        connection=connection,
        asked_by=asked_by,
        name=name,
        sealed=asdict(question),
    )
    _record(
        "source.fetch_started", asked_by, connection, asked="query" if question.query else "table"
    )
    queue(fetch, fetch_table)
    return fetch


@transaction.atomic
def stop_fetch(*, fetch: Fetch, stopped_by: User) -> None:
    check_can_read_databases(stopped_by, fetch.team)
    request_stop(fetch)
    record_event("source.fetch_stopped", actor=stopped_by, team=fetch.team, subject=fetch)


def _record(action: str, actor: User, connection: Connection, **facts: str) -> None:
    """Record the server, but neither user nor password."""
    address = connection.address
    server = str(Server(address.host, address.port))
    record_event(
        action,
        actor=actor,
        team=connection.team,
        subject=connection,
        facts={"server": server, "database": address.database, **facts},
    )
