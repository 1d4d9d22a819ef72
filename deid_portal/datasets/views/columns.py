"""Step 2: assign the role of every column."""

from dataclasses import replace
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.datasets.column_list import read_positions
from deid_portal.datasets.column_pages import (
    page_context,
    panel_context,
    row_context,
    url_of,
    view_of,
)
from deid_portal.datasets.isolation import count_isolation
from deid_portal.datasets.models import ColumnRoleChoices, Dataset, DatasetColumn, TreatmentChoices
from deid_portal.datasets.next_bars import free_text_words
from deid_portal.datasets.permissions import check_can_change
from deid_portal.datasets.policies import check_is_ready
from deid_portal.datasets.roles import find_role
from deid_portal.datasets.selectors import (
    columns_without_values,
    get_column_or_404,
    get_dataset_or_404,
    last_decided_by_others,
)
from deid_portal.datasets.services import (
    accept_suggestions,
    choose_treatment,
    tag_columns,
    undo_tagging,
)
from deid_portal.web.http import wants_part
from deid_portal.web.refusals import entering_step

SUGGESTED = "suggested"


@require_GET
def show(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "columns"):
        check_is_ready(dataset)
    return _show_page(request, dataset, _selected(request, dataset))


@require_GET
def detail(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """The side panel of one column; without scripts, the whole page with it open."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    column = get_column_or_404(dataset, position)
    if not wants_part(request):
        return _show_page(request, dataset, column)
    view = view_of(request.GET)
    context = panel_context(request, dataset, view, column)
    panel = render(request, "datasets/_column_panel.html", context)
    # A reload opens the same column.
    panel["HX-Replace-Url"] = url_of(dataset, view, column=position)
    return panel


@require_GET
def isolation(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Count one-of-a-kind rows with and without a column, as the columns are decided now."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    check_can_change(person_of(request), dataset)  # counts all rows, like the panel's figures
    column = get_column_or_404(dataset, position)
    check_is_ready(dataset)
    figures = count_isolation(dataset, columns_without_values(dataset), column)
    context = {"dataset": dataset, "selected": column, "isolation": figures}
    return render(request, "datasets/_isolation.html", context)


@require_POST
def tag(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    role = request.POST.get("role", "")
    if role and role not in ColumnRoleChoices.values:
        return HttpResponseBadRequest("Choose one of the four roles.")
    column = get_column_or_404(dataset, position)
    tag_columns(dataset=dataset, tagged_by=person_of(request), roles={position: role})
    return _answer_with_row(request, dataset, column, _what_others_said(request, column, role))


def _what_others_said(request: HttpRequest, column: DatasetColumn, role: str) -> str:
    """Say who decided the column differently since the page was loaded."""
    seen, before = request.POST.get("was"), column.role
    if seen is None or before in (seen, role):
        return ""
    step = last_decided_by_others(column.dataset, column.position, person_of(request))
    theirs = find_role(before)
    if step is None or theirs is None:
        return ""
    who = step.made_by.display_name
    return f"{who} had made it {theirs.label.lower()} meanwhile. Yours counts; undo brings it back."


@require_POST
def tag_many(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Give columns (`position`, a family as 3-26) one role, or to each the one suggested for it."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    role = request.POST.get("role", "")
    texts = request.POST.getlist("position")
    if role not in (*ColumnRoleChoices.values, SUGGESTED) or not all(map(read_positions, texts)):
        return HttpResponseBadRequest("Choose columns and one of the four roles.")
    positions = frozenset[int]().union(*map(read_positions, texts))
    if role == SUGGESTED:
        accept_suggestions(dataset=dataset, accepted_by=person_of(request), positions=positions)
    elif positions:
        roles = dict.fromkeys(positions, role)
        tag_columns(dataset=dataset, tagged_by=person_of(request), roles=roles)
    view = view_of(request.POST)
    return redirect(url_of(dataset, replace(view, kept=view.kept | positions)))


@require_POST
def accept(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Give every column that is still open the role suggested for it."""
    person = person_of(request)
    dataset = get_dataset_or_404(person, dataset_id)
    check_can_change(person, dataset)
    still_open = [column for column in columns_without_values(dataset) if not column.role]
    positions = [column.position for column in still_open]
    count = accept_suggestions(dataset=dataset, accepted_by=person, positions=positions)
    free_texts = [column.name for column in still_open if column.is_free_text]
    left = f" That leaves {free_text_words(free_texts)}." if free_texts else ""
    if count > 1:
        undo_words = "Undo takes back all of them."
        messages.success(request, f"{count} suggestions accepted. {undo_words}{left}")
    return redirect("datasets:columns", dataset.id)


@require_POST
def undo(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    undo_tagging(dataset=dataset, undone_by=person_of(request))
    return redirect(url_of(dataset, view_of(request.POST)))


@require_POST
def set_treatment(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    treatment = request.POST.get("treatment", "")
    if treatment not in TreatmentChoices.values:
        return HttpResponseBadRequest("Choose one of the treatments.")
    column = get_column_or_404(dataset, position)
    choose_treatment(
        column=column, chosen_by=person_of(request), treatment=TreatmentChoices(treatment)
    )
    return _answer_with_row(request, dataset, column)


def _answer_with_row(
    request: HttpRequest, dataset: Dataset, column: DatasetColumn, note: str = ""
) -> HttpResponse:
    view = view_of(request.POST)
    if not wants_part(request):
        if note:
            messages.warning(request, note)
        url = url_of(dataset, view, column=column.position)
        return redirect(f"{url}#column-{column.position}")
    column.refresh_from_db()
    context = row_context(request, dataset, view, column, note)
    return render(request, "datasets/_column_row_saved.html", context)


def _selected(request: HttpRequest, dataset: Dataset) -> DatasetColumn | None:
    """Return the column whose panel is asked for."""
    text = request.GET.get("column", "")
    if not text.isdecimal():
        return None
    column = dataset.columns.filter(position=int(text)).first()
    if column is None:
        raise Http404
    return column


def _show_page(
    request: HttpRequest, dataset: Dataset, selected: DatasetColumn | None
) -> HttpResponse:
    context = page_context(request, dataset, view_of(request.GET), selected)
    return render(request, "datasets/columns.html", context)
