from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.common.http import go_to, wants_part
from deid_portal.common.refusals import Refused, entering_step
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.permissions import can_see_values, check_can_change
from deid_portal.datasets.policies import check_columns_decided
from deid_portal.datasets.selectors import get_column_or_404, get_dataset_or_404
from deid_portal.datasets.uploading import SealedUpload
from deid_portal.engine import EngineError
from deid_portal.engine.taxonomies import write_rows
from deid_portal.taxonomies.figures import effect_of
from deid_portal.taxonomies.forms import DatesForm, FlatForm, IntervalsForm, MaskForm, TreeForm
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.taxonomies.next_bars import bar_of_workbench
from deid_portal.taxonomies.selectors import (
    build_taxonomy,
    coverage_of,
    describe_shelf,
    describe_taxonomy,
    may_have_taxonomy,
    open_columns,
    quasi_identifiers,
    taxonomy_of,
)
from deid_portal.taxonomies.services import remove_taxonomy, set_taxonomy, set_taxonomy_from_file
from deid_portal.taxonomies.starting_points import initial_of

Kind = ColumnTaxonomy.Kind
TAXONOMY_FILE_LIMIT = 20 * 1024 * 1024


BUILDERS: dict[str, type[forms.Form]] = {
    Kind.INTERVALS: IntervalsForm,
    Kind.DATES: DatesForm,
    Kind.MASK: MaskForm,
    Kind.TREE: TreeForm,
    Kind.FLAT: FlatForm,
}


@require_GET
def overview(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Go to the first quasi-identifier that still needs a taxonomy."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "taxonomies"):
        check_columns_decided(dataset)
    column = (open_columns(dataset) or quasi_identifiers(dataset))[0]
    return redirect("taxonomies:workbench", dataset.id, column.position)


@require_GET
def workbench(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset, column = _get_or_404(request, dataset_id, position)
    return _show(request, dataset, column, tab=request.GET.get("tab", ""))


@require_POST
def build(request: HttpRequest, dataset_id: UUID, position: int, kind: str) -> HttpResponse:
    dataset, column = _get_or_404(request, dataset_id, position)
    if kind not in BUILDERS:
        raise Http404
    form: Any = BUILDERS[kind](request.POST)
    if not form.is_valid():
        return _show(request, dataset, column, form=form, tab=kind)
    try:
        set_taxonomy(
            column=column,
            changed_by=person_of(request),
            kind=Kind(kind),
            recipe=form.to_recipe(),
        )
    except EngineError as error:
        return _show(request, dataset, column, form=form, tab=kind, problem=_sentence(error))
    return _lead_to_workbench(request, dataset, column)


@require_POST
def upload_file(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset, column = _get_or_404(request, dataset_id, position)
    upload = request.FILES.get("file")
    try:
        content = _read_whole(upload)
        set_taxonomy_from_file(column=column, changed_by=person_of(request), content=content)
    except (EngineError, Refused) as error:
        return _show(request, dataset, column, tab=Kind.FILE, problem=_sentence(error))
    return _lead_to_workbench(request, dataset, column)


def _lead_to_workbench(
    request: HttpRequest, dataset: Dataset, column: DatasetColumn
) -> HttpResponse:
    """Show what was built; htmx swaps only refusals in, so it is told to go there."""
    url = reverse("taxonomies:workbench", args=[dataset.id, column.position])
    return go_to(url) if wants_part(request) else redirect(url)


def _sentence(error: Exception) -> str:
    """Make a sentence of what the engine says about the file entry of a plan."""
    place, _, reason = str(error).partition("file: ")
    if place:
        return str(error)
    return f"This file cannot be used: {reason} Nothing was changed."


def _read_whole(upload: object) -> bytes:
    if not isinstance(upload, SealedUpload):
        raise Refused("Choose a taxonomy file first: CSV, one row per value.")
    if (upload.size or 0) > TAXONOMY_FILE_LIMIT:
        raise Refused("A taxonomy file may have at most 20 MB. Nothing was changed.")
    with upload.open_reader() as stream:
        return stream.read()


@require_POST
def remove(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset, column = _get_or_404(request, dataset_id, position)
    remove_taxonomy(column=column, removed_by=person_of(request))
    messages.success(request, f"The taxonomy of {column.name} was removed.")
    return redirect("taxonomies:workbench", dataset.id, position)


@require_GET
def export(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Download the taxonomy in the ARX form; it names values, so stewards only."""
    dataset, column = _get_or_404(request, dataset_id, position)
    check_can_change(person_of(request), dataset)
    built = build_taxonomy(column)
    if built is None:
        raise Http404
    response = HttpResponse(write_rows(built[1]), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="taxonomy-{column.number}.csv"'
    return response


def _get_or_404(
    request: HttpRequest, dataset_id: UUID, position: int
) -> tuple[Dataset, DatasetColumn]:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    column = get_column_or_404(dataset, position)
    if not may_have_taxonomy(column):
        raise Http404
    return dataset, column


def _show(
    request: HttpRequest,
    dataset: Dataset,
    column: DatasetColumn,
    *,
    form: forms.Form | None = None,
    tab: str = "",
    problem: str = "",
) -> HttpResponse:
    sees_values = can_see_values(person_of(request), dataset)
    view = describe_taxonomy(column) if sees_values else None
    taxonomy = taxonomy_of(column)
    still_open = open_columns(dataset)
    kind = _open_kind(column, taxonomy, tab)
    context = {
        "dataset": dataset,
        "column": column,
        "shelf": describe_shelf(dataset),
        "open_count": len(still_open),
        "taxonomy": taxonomy,
        "view": view,
        "coverage": coverage_of(column, taxonomy, view),
        "chart": effect_of(view.effects) if view else None,
        "can_change": sees_values,
        "problem": problem,
        "kinds": _fitting_kinds(column),
        "builder": _builder(column, kind, form) if sees_values else None,
        "bar": bar_of_workbench(dataset, column, still_open),
        "current": "taxonomies",
        "help_slug": "taxonomies",
    }
    return render(
        request, "taxonomies/workbench.html", context, status=422 if problem or form else 200
    )


def _fitting_kinds(column: DatasetColumn) -> list[Kind]:
    """List the builders that fit the column's type, the most fitting first."""
    return {
        "integer": [Kind.INTERVALS, Kind.TREE, Kind.FILE, Kind.MASK, Kind.FLAT],
        "number": [Kind.INTERVALS, Kind.TREE, Kind.FILE, Kind.FLAT],
        "date": [Kind.DATES, Kind.FILE, Kind.TREE, Kind.MASK, Kind.FLAT],
    }.get(column.type, [Kind.TREE, Kind.FILE, Kind.MASK, Kind.FLAT])


def _open_kind(column: DatasetColumn, taxonomy: ColumnTaxonomy | None, tab: str) -> Kind:
    """Return the builder to show: the one asked for, the one in force, or the most fitting."""
    for kind in (tab, taxonomy.kind if taxonomy else ""):
        if kind in Kind.values:
            return Kind(kind)
    return _fitting_kinds(column)[0]


def _builder(column: DatasetColumn, kind: Kind, bound: forms.Form | None) -> dict[str, Any]:
    """The builder that is open: what was sent, else what it starts with."""
    form = bound
    if form is None and kind in BUILDERS:
        form = BUILDERS[kind](initial=initial_of(column, kind))
    return {"kind": kind.value, "label": kind.label, "form": form}
