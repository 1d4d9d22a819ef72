"""Step 2: say what every column is."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.common.http import wants_part
from deid_portal.common.refusals import entering_step, refusal
from deid_portal.datasets.dangers import advice_of, company_of, danger_order, worst_company
from deid_portal.datasets.figures import histogram_of
from deid_portal.datasets.models import ColumnRole, Dataset, DatasetColumn, Treatment
from deid_portal.datasets.next_bars import ColumnStanding, bar_of_columns
from deid_portal.datasets.permissions import can_see_values, check_can_change
from deid_portal.datasets.policies import check_columns_decided, check_is_ready
from deid_portal.datasets.roles import ROLE_CHOICES, UNDECIDED, find_role
from deid_portal.datasets.selectors import get_column_or_404, get_dataset_or_404
from deid_portal.datasets.services import (
    accept_suggestions,
    choose_treatment,
    tag_columns,
    undo_tagging,
)
from deid_portal.datasets.shapes import describe_shape

SUGGESTED = "suggested"


@require_GET
def show(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "columns"):
        check_is_ready(dataset)
    return _show_page(request, dataset, selected=_selected(request, dataset))


@require_GET
def detail(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """The side panel of one column; without scripts, the whole page with it open."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    column = get_column_or_404(dataset, position)
    if wants_part(request):
        panel = render(request, "datasets/_column_panel.html", _panel(request, dataset, column))
        # A reload opens the same column.
        panel["HX-Replace-Url"] = _page_url(dataset, column)
        return panel
    return _show_page(request, dataset, selected=column)


@require_POST
def tag(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    role = request.POST.get("role", "")
    if role and role not in ColumnRole.values:
        return HttpResponseBadRequest("Choose one of the four roles.")
    column = get_column_or_404(dataset, position)
    tag_columns(dataset=dataset, tagged_by=person_of(request), roles={position: role})
    return _answer_with_row(request, dataset, column)


@require_POST
def tag_many(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Give the ticked columns (`position`) one role, or to each the one suggested for it."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    role = request.POST.get("role", "")
    texts = request.POST.getlist("position")
    if role not in (*ColumnRole.values, SUGGESTED) or not all(
        text.isdecimal() and len(text) < 6 for text in texts
    ):
        return HttpResponseBadRequest("Choose columns and one of the four roles.")
    positions = [int(text) for text in texts]
    if role == SUGGESTED:
        accept_suggestions(dataset=dataset, accepted_by=person_of(request), positions=positions)
    elif positions:
        roles = dict.fromkeys(positions, role)
        tag_columns(dataset=dataset, tagged_by=person_of(request), roles=roles)
    return redirect("datasets:columns", dataset.id)


@require_POST
def accept(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Give every column that is still open the role suggested for it."""
    person = person_of(request)
    dataset = get_dataset_or_404(person, dataset_id)
    check_can_change(person, dataset)
    still_open = dataset.columns.filter(role="").values_list("position", flat=True)
    accept_suggestions(dataset=dataset, accepted_by=person, positions=list(still_open))
    return redirect("datasets:columns", dataset.id)


@require_POST
def undo(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    undo_tagging(dataset=dataset, undone_by=person_of(request))
    return redirect("datasets:columns", dataset.id)


@require_POST
def set_treatment(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    treatment = request.POST.get("treatment", "")
    if treatment not in Treatment.values:
        return HttpResponseBadRequest("Choose one of the treatments.")
    column = get_column_or_404(dataset, position)
    choose_treatment(column=column, chosen_by=person_of(request), treatment=Treatment(treatment))
    return _answer_with_row(request, dataset, column)


def _answer_with_row(request: HttpRequest, dataset: Dataset, column: DatasetColumn) -> HttpResponse:
    if not wants_part(request):
        return redirect(f"{_page_url(dataset, column)}#column-{column.position}")
    column.refresh_from_db()
    context = {
        "row": _row(request, dataset, column),
        "shows_meaning": request.POST.get("shown") == str(column.position),
        **_choices(),
        **_standing(request, dataset),
        **_meaning(dataset, column),
    }
    return render(request, "datasets/_column_row_saved.html", context)


def _page_url(dataset: Dataset, column: DatasetColumn) -> str:
    return f"{reverse('datasets:columns', args=[dataset.id])}?column={column.position}"


def _selected(request: HttpRequest, dataset: Dataset) -> DatasetColumn:
    """Return the column asked for, or the most dangerous one."""
    text = request.GET.get("column", "")
    if not text.isdecimal():
        return min(dataset.columns.defer("profile"), key=danger_order)
    column = dataset.columns.filter(position=int(text)).first()
    if column is None:
        raise Http404
    return column


def _show_page(request: HttpRequest, dataset: Dataset, *, selected: DatasetColumn) -> HttpResponse:
    columns = sorted(dataset.columns.all(), key=danger_order)
    context = {
        "rows": [_row(request, dataset, column) for column in columns],
        "worst": worst_company(columns, dataset.rows),
        "current": "columns",
        "help_slug": "columns",
        **_choices(),
        **_standing(request, dataset),
        **_panel(request, dataset, selected),
    }
    return render(request, "datasets/columns.html", context)


def _choices() -> dict[str, Any]:
    return {"roles": ROLE_CHOICES, "treatments": Treatment.choices}


def _standing(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    """What the counters and the next bar say."""
    total = dataset.columns.count()
    still_open = list(dataset.columns.filter(role="").defer("profile"))
    standing = ColumnStanding(
        total=total,
        decided=total - len(still_open),
        first_open=min(still_open, key=danger_order).position if still_open else None,
        refusal=refusal(check_columns_decided, dataset),
        suggested=sum(1 for column in still_open if column.suggestion.get("role")),
    )
    person = person_of(request)
    can_change = can_see_values(person, dataset)
    return {
        "standing": standing,
        "can_change": can_change,
        "can_undo": can_change and dataset.taggings.filter(made_by=person).exists(),
        "bar": bar_of_columns(dataset, standing, can_change),
    }


def _row(request: HttpRequest, dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    sees_values = can_see_values(person_of(request), dataset)
    return {
        "column": column,
        "role": find_role(column.role),
        "advice": advice_of(column),
        "shape": describe_shape(column, dataset.rows, sees_values=sees_values),
        "missing_share": column.missing / dataset.rows if dataset.rows else 0,
        "missing_percent": round(100 * column.missing / dataset.rows) if dataset.rows else 0,
    }


def _panel(request: HttpRequest, dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    sees_values = can_see_values(person_of(request), dataset)
    row = _row(request, dataset, column)
    names = dict(dataset.columns.values_list("position", "name"))
    drawn = sees_values and not row["shape"].words
    return {
        "selected": column,
        "selected_row": row,
        "frequent": column.profile.get("most_frequent") if drawn else None,
        "chart": histogram_of(column, dataset.rows) if drawn else None,
        "company": company_of(column, names, dataset.rows),
        "can_change": sees_values,
        **_neighbours(dataset, column),
        **_meaning(dataset, column),
    }


def _neighbours(dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    near = dataset.columns.filter(position__in=[column.position - 1, column.position + 1])
    by_position = {other.position: other for other in near}
    return {
        "previous": by_position.get(column.position - 1),
        "next": by_position.get(column.position + 1),
    }


def _meaning(dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    role = find_role(column.role)
    return {
        "dataset": dataset,
        "meant": column,
        "meant_role": role,
        "meaning": role.meaning if role else UNDECIDED,
        "roles": ROLE_CHOICES,
    }
