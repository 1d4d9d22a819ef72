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
from deid_portal.datasets.figures import histogram_of
from deid_portal.datasets.models import ColumnRole, Dataset, DatasetColumn, Treatment
from deid_portal.datasets.next_bars import ColumnStanding, bar_of_columns
from deid_portal.datasets.permissions import can_see_values
from deid_portal.datasets.policies import check_columns_decided, check_is_ready
from deid_portal.datasets.roles import ROLE_CHOICES, UNDECIDED, find_role
from deid_portal.datasets.selectors import get_column_or_404, get_dataset_or_404
from deid_portal.datasets.services import choose_treatment, tag_columns
from deid_portal.datasets.shapes import describe_shape


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
    """Give several columns one role: those whose `position` boxes are ticked."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    role = request.POST.get("role", "")
    positions = request.POST.getlist("position")
    if role not in ColumnRole.values or not all(
        text.isdecimal() and len(text) < 6 for text in positions
    ):
        return HttpResponseBadRequest("Choose columns and one of the four roles.")
    roles = dict.fromkeys((int(text) for text in positions), role)
    if roles:
        tag_columns(dataset=dataset, tagged_by=person_of(request), roles=roles)
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
    text = request.GET.get("column", "")
    column = dataset.columns.filter(position=int(text) if text.isdecimal() else 0).first()
    if column is None:
        raise Http404
    return column


def _show_page(request: HttpRequest, dataset: Dataset, *, selected: DatasetColumn) -> HttpResponse:
    context = {
        "rows": [_row(request, dataset, column) for column in dataset.columns.all()],
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
    open_columns = list(dataset.columns.filter(role="").values_list("position", flat=True))
    standing = ColumnStanding(
        total=total,
        decided=total - len(open_columns),
        first_open=open_columns[0] if open_columns else None,
        refusal=refusal(check_columns_decided, dataset),
    )
    can_change = can_see_values(person_of(request), dataset)
    return {
        "standing": standing,
        "can_change": can_change,
        "bar": bar_of_columns(dataset, standing, can_change),
    }


def _row(request: HttpRequest, dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    sees_values = can_see_values(person_of(request), dataset)
    return {
        "column": column,
        "role": find_role(column.role),
        "shape": describe_shape(column, dataset.rows, sees_values=sees_values),
        "missing_share": column.missing / dataset.rows if dataset.rows else 0,
        "missing_percent": round(100 * column.missing / dataset.rows) if dataset.rows else 0,
    }


def _panel(request: HttpRequest, dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    sees_values = can_see_values(person_of(request), dataset)
    row = _row(request, dataset, column)
    drawn = sees_values and not row["shape"].words
    return {
        "selected": column,
        "selected_row": row,
        "frequent": column.profile.get("most_frequent") if drawn else None,
        "chart": histogram_of(column, dataset.rows) if drawn else None,
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
