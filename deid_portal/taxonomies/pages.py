"""The workbench as a page: everything on it is drawn here, whatever was pressed."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from deid_portal.accounts.people import person_of
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.permissions import can_see_values
from deid_portal.datasets.selectors import get_column_or_404, get_dataset_or_404
from deid_portal.taxonomies.drawing import TreeDrawing, draw_tree
from deid_portal.taxonomies.figures import effect_of
from deid_portal.taxonomies.forms import DatesForm, FlatForm, IntervalsForm, MaskForm, TreeForm
from deid_portal.taxonomies.models import ColumnTaxonomy, Kind
from deid_portal.taxonomies.next_bars import bar_of_workbench
from deid_portal.taxonomies.selectors import (
    TaxonomyView,
    coverage_of,
    describe_shelf,
    describe_taxonomy,
    may_have_taxonomy,
    open_columns,
    taxonomy_of,
    versions_of,
)
from deid_portal.taxonomies.starting_points import initial_of

BUILDERS: dict[str, type[forms.Form]] = {
    Kind.INTERVALS: IntervalsForm,
    Kind.DATES: DatesForm,
    Kind.MASK: MaskForm,
    Kind.TREE: TreeForm,
    Kind.FLAT: FlatForm,
}


@dataclass(frozen=True)
class TreeState:
    """What is said about the tree after it was changed, or was not."""

    at: int | None = None  # the node the cursor belongs to
    said: str = ""
    problem: str = ""


def get_column_to_build_or_404(
    request: HttpRequest, dataset_id: UUID, position: int
) -> tuple[Dataset, DatasetColumn]:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    column = get_column_or_404(dataset, position)
    if not may_have_taxonomy(column):
        raise Http404
    return dataset, column


def show_workbench(
    request: HttpRequest,
    dataset: Dataset,
    column: DatasetColumn,
    *,
    form: forms.Form | None = None,
    tab: str = "",
    problem: str = "",
    tree: TreeState | None = None,
) -> HttpResponse:
    tree = tree or TreeState()
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
        "chart": effect_of(view.effects, is_whole=not view.uncovered_count) if view else None,
        "tree": tree,
        "drawing": _draw(request, column, view, tree) if view and view.outline else None,
        "versions": versions_of(column),
        "version": taxonomy.version if taxonomy else None,
        "can_change": sees_values,
        "problem": problem,
        "kinds": _fitting_kinds(column),
        "builder": _builder(column, kind, form) if sees_values else None,
        "bar": bar_of_workbench(dataset, column, still_open),
        "current": "taxonomies",
        "help_slug": "taxonomies",
    }
    refused = problem or form or tree.problem
    return render(request, "taxonomies/workbench.html", context, status=422 if refused else 200)


def _draw(
    request: HttpRequest, column: DatasetColumn, view: TaxonomyView, tree: TreeState
) -> TreeDrawing | None:
    if view.outline is None:
        return None
    sent = request.POST if request.method == "POST" else request.GET
    asked = {name: sent[name] for name in ("open", "toggle", "find", "reveal") if name in sent}
    if tree.at is not None:
        asked["reveal"] = str(tree.at)
    return draw_tree(view.outline, asked, is_ordered=column.type in ("integer", "number", "date"))


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
