"""Opening a dataset for questions, changing its terms, closing it, and the list of desks."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.models import Role
from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import roles_of
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.policies import check_is_ready
from deid_portal.datasets.selectors import get_dataset_or_404
from deid_portal.engine.errors import InvalidPlan
from deid_portal.querydesk.declared_values import (
    has_own_tree,
    public_domains,
    shelf_sources,
    values_from,
)
from deid_portal.querydesk.desk_forms import OpeningForm, opening_form
from deid_portal.querydesk.models import Desk
from deid_portal.querydesk.permissions import check_may_ask_questions, check_may_open
from deid_portal.querydesk.selectors import (
    datasets_to_open,
    desk_of,
    desks_of_team,
    get_desk_or_404,
)
from deid_portal.querydesk.services import close_desk, open_desk
from deid_portal.querydesk.statements import ledger_statement_of
from deid_portal.web.refusals import Refused, refusal

ALL_PUBLIC = "public"


@require_GET
def list_desks(request: HttpRequest) -> HttpResponse:
    """The desks of the team. An analyst with a single desk is redirected to it."""
    person, team = person_of(request), team_of_or_404(request)
    desks = desks_of_team(person, team)
    may_open = not refusal(check_may_open, person, team)
    if roles_of(person, team) == {Role.ANALYST} and len(desks) == 1:
        return redirect(desks[0])
    lines = [
        {
            "desk": desk,
            "terms": desk.current,
            "statement": ledger_statement_of(desk, person, most=1),
            "may_ask": not refusal(check_may_ask_questions, person, desk),
        }
        for desk in desks
    ]
    context = {
        "lines": lines,
        "to_open": datasets_to_open(person, team) if may_open else [],
        "may_open": may_open,
        "help_slug": "query-desk",
    }
    return render(request, "querydesk/list.html", context)


@require_http_methods(["GET", "POST"])
def open_dataset(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    check_may_open(person_of(request), dataset.team)
    check_is_ready(dataset)
    desk = desk_of(dataset)
    if request.method == "GET":
        form = opening_form(None, dataset=dataset, terms=desk.current if desk else None)
        return _form_page(request, dataset, desk, form)
    if request.POST.get("take") == ALL_PUBLIC:
        return _take_public(request, dataset, desk)
    if taken := request.POST.get("take"):
        return _take_values(request, dataset, desk, taken)
    form = opening_form(request.POST, dataset=dataset)
    if not form.is_valid():
        return _form_page(request, dataset, desk, form, status=422)
    try:
        desk = open_desk(dataset=dataset, opened_by=person_of(request), offer=form.to_offer())
    except (Refused, InvalidPlan) as reason:
        form.add_error(None, str(reason))
        return _form_page(request, dataset, desk, form, status=422)
    messages.success(request, "Open for questions. What was spent before stays spent.")
    return redirect("querydesk:accounts", desk.id)


def _take_public(request: HttpRequest, dataset: Dataset, desk: Desk | None) -> HttpResponse:
    """Open all columns of which everybody knows what they may hold; other fields stay as typed."""
    posted = request.POST.copy()
    for place, own in public_domains(dataset.columns.all()).items():
        posted[f"open-{place}"] = "on"
        for name, text in own.items():
            posted[f"{name}-{place}"] = text
    return _filled_page(request, dataset, desk, posted)


def _filled_page(
    request: HttpRequest, dataset: Dataset, desk: Desk | None, posted: QueryDict, **more: Any
) -> HttpResponse:
    """Show the form with what was filled in, and nothing marked as wrong yet."""
    form = opening_form(posted, dataset=dataset)
    form.is_valid()
    form.errors.clear()
    return _form_page(request, dataset, desk, form, **more)


def _take_values(
    request: HttpRequest, dataset: Dataset, desk: Desk | None, taken: str
) -> HttpResponse:
    """Fill one list from the chosen source; all other fields stay as typed."""
    place, _, key = taken.partition(":")
    key = key or request.POST.get(f"source-{place}", "")
    posted = request.POST.copy()
    problem = ""
    column = next((one for one in dataset.columns.all() if str(one.position) == place), None)
    if column is None:
        raise Http404
    try:
        values = values_from(column, key)
    except Refused as reason:
        problem = str(reason)
    else:
        posted[f"values-{place}"] = "\n".join(values)
        posted[f"kind-{place}"] = "list"
        posted[f"open-{place}"] = "on"
    more = {"taken": column.position, "problem": problem}
    return _filled_page(request, dataset, desk, posted, **more)


def _form_page(
    request: HttpRequest,
    dataset: Dataset,
    desk: Desk | None,
    form: OpeningForm,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    rows = form.column_rows
    for row in rows:
        row["has_tree"] = has_own_tree(row["column"])
    public = public_domains(form.columns)
    identifiers = [column.name for column in dataset.columns.all() if column.role == "identifier"]
    context = {
        "dataset": dataset,
        "desk": desk,
        "form": form,
        "rows": rows,
        "identifiers": identifiers,
        "sources": shelf_sources(),
        "public": [column.name for column in form.columns if column.position in public],
        "statement": ledger_statement_of(desk, person_of(request), most=1) if desk else None,
        "help_slug": "query-desk",
        **more,
    }
    return render(request, "querydesk/open.html", context, status=status)


@require_POST
def close(request: HttpRequest, desk_id: UUID) -> HttpResponse:
    desk = get_desk_or_404(person_of(request), desk_id)
    check_may_open(person_of(request), desk.team)
    try:
        close_desk(desk=desk, closed_by=person_of(request))
    except Refused as reason:
        messages.error(request, str(reason))
    else:
        messages.success(request, "Closed. Answers that were given stay readable.")
    return redirect("querydesk:accounts", desk.id)
