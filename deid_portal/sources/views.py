"""Step 1, another way: choose a database, a table or a query, and watch it being copied."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.sources.forms import ConnectionForm, PasswordForm, QuestionForm
from deid_portal.sources.models import Connection, Fetch
from deid_portal.sources.next_bars import bar_of_choice, bar_of_databases, bar_of_fetch
from deid_portal.sources.permissions import check_can_read_databases
from deid_portal.sources.policies import (
    Server,
    check_can_be_used,
    check_not_being_used,
    check_some_server_is_allowed,
)
from deid_portal.sources.postgresql import SourceProblem, TableName
from deid_portal.sources.selectors import (
    connections_of,
    get_connection_or_404,
    get_fetch_or_404,
    open_fetches_of,
    tables_of,
)
from deid_portal.sources.services import (
    add_connection,
    change_password,
    remove_connection,
    start_fetch,
    stop_fetch,
)
from deid_portal.web.http import go_to, wants_part
from deid_portal.web.refusals import refusal
from deid_portal.work.queue import is_queue_reachable


@require_http_methods(["GET", "POST"])
@sensitive_post_parameters("password")
def show_all(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    check_can_read_databases(person, team)
    switched_off = refusal(check_some_server_is_allowed)
    form = ConnectionForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and not switched_off:
        connection = _add(form, team, person)
        if connection is not None:
            return redirect("sources:choose", connection.id)
    kept = list(connections_of(team))
    context = {
        "connections": [_line(connection) for connection in kept],
        "fetches": open_fetches_of(team),
        "form": form,
        "switched_off": switched_off,
        "bar": bar_of_databases(switched_off=switched_off),
        "help_slug": "databases",
    }
    return render(request, "sources/list.html", context, status=422 if form.errors else 200)


def _line(connection: Connection) -> dict[str, Any]:
    address = connection.address
    return {
        "connection": connection,
        "server": Server(address.host, address.port),
        "database": address.database,
        "account": address.user,
        "refusal": refusal(check_can_be_used, connection),
    }


@sensitive_variables("form")
def _add(form: ConnectionForm, team: Team, person: User) -> Connection | None:
    """Return the new connection, or None with the reason in the form."""
    if not form.is_valid():
        return None
    try:
        return add_connection(
            team=team,
            added_by=person,
            name=form.cleaned_data["name"],
            address=form.to_address(),
        )
    except SourceProblem as problem:
        form.add_error(None, str(problem))
        return None


@require_http_methods(["GET", "POST"])
def choose(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    connection = _connection(request, connection_id)
    check_can_be_used(connection)
    tables, problem = _tables_of(connection)
    if request.method == "POST":
        form = QuestionForm(request.POST, tables=tables)
        if form.is_valid():
            fetch = start_fetch(
                connection=connection,
                asked_by=person_of(request),
                question=form.to_question(),
                name=form.cleaned_data["name"],
            )
            return redirect("sources:fetch", fetch.id)
    else:
        form = QuestionForm(tables=tables, initial=_asked_before(request, connection))
    return _show_choice(request, connection, form, problem, PasswordForm())


def _show_choice(
    request: HttpRequest,
    connection: Connection,
    form: QuestionForm,
    problem: str,
    password_form: PasswordForm,
) -> HttpResponse:
    context = {
        **_line(connection),
        "form": form,
        "password_form": password_form,
        "problem": problem,
        "remove_refusal": refusal(check_not_being_used, connection),
        "bar": bar_of_choice(),
        "help_slug": "databases",
    }
    refused = form.errors or password_form.errors
    return render(request, "sources/choose.html", context, status=422 if refused else 200)


def _tables_of(connection: Connection) -> tuple[list[TableName], str]:
    """Return the tables to choose, or why there are none; a query can be tried anyway."""
    try:
        return tables_of(connection), ""
    except SourceProblem as problem:
        return [], str(problem)


def _asked_before(request: HttpRequest, connection: Connection) -> dict[str, str]:
    """Fill the form with the query of a failed fetch, so that it can be corrected."""
    try:
        fetch = get_fetch_or_404(person_of(request), UUID(request.GET.get("again", "")))
    except ValueError:
        return {}
    if fetch.connection_id != connection.id:
        return {}
    return {**vars(fetch.question), "name": fetch.name}


@require_POST
@sensitive_post_parameters("password")
def password(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    connection = _connection(request, connection_id)
    check_can_be_used(connection)
    form = PasswordForm(request.POST)
    if form.is_valid():
        try:
            change_password(
                connection=connection,
                changed_by=person_of(request),
                password=form.cleaned_data["password"],
            )
        except SourceProblem as problem:
            form.add_error("password", f"{problem} The old password is still kept.")
        else:
            messages.success(request, "The new password works and is kept; the old one is gone.")
            return redirect("sources:choose", connection.id)
    tables, problem_of_old = _tables_of(connection)
    return _show_choice(request, connection, QuestionForm(tables=tables), problem_of_old, form)


@require_POST
def remove(request: HttpRequest, connection_id: UUID) -> HttpResponse:
    connection = _connection(request, connection_id)
    remove_connection(connection=connection, removed_by=person_of(request))
    messages.success(request, f"The connection {connection} was removed, with its password.")
    return redirect("sources:list")


@require_GET
def fetch(request: HttpRequest, fetch_id: UUID) -> HttpResponse:
    """How far the copying is: polled until it ends, then it leads on to the preview."""
    current = _fetch(request, fetch_id)
    if current.dataset_id:
        there = reverse("datasets:preview", args=[current.dataset_id])
        return go_to(there) if wants_part(request) else redirect(there)
    if wants_part(request) and not current.is_open:
        return go_to(reverse("sources:fetch", args=[current.id]))
    waits = current.status == Fetch.Status.QUEUED
    context = {
        "fetch": current,
        "queue_is_away": waits and not is_queue_reachable(),
        "bar": bar_of_fetch(current),
        "help_slug": "databases",
    }
    template = "sources/_copying.html" if wants_part(request) else "sources/fetch.html"
    return render(request, template, context)


@require_POST
def stop(request: HttpRequest, fetch_id: UUID) -> HttpResponse:
    current = _fetch(request, fetch_id)
    if current.is_open:
        stop_fetch(fetch=current, stopped_by=person_of(request))
    return redirect("sources:fetch", current.id)


def _connection(request: HttpRequest, connection_id: UUID) -> Connection:
    """A connection is for stewards, like the rows behind it."""
    connection = get_connection_or_404(person_of(request), connection_id)
    check_can_read_databases(person_of(request), connection.team)
    return connection


def _fetch(request: HttpRequest, fetch_id: UUID) -> Fetch:
    current = get_fetch_or_404(person_of(request), fetch_id)
    check_can_read_databases(person_of(request), current.team)
    return current
