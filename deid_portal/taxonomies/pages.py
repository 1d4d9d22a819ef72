"""The context of the workbench, for all its views."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from deid_portal.accounts.people import person_of
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.permissions import can_see_values
from deid_portal.datasets.selectors import get_column_or_404, get_dataset_or_404
from deid_portal.taxonomies.figures import effect_of
from deid_portal.taxonomies.forms import (
    BuilderForm,
    DatesForm,
    FlatForm,
    IntervalsForm,
    KeepTaxonomyForm,
    MaskForm,
    OrderForm,
    QuantilesForm,
    RareForm,
    RulesForm,
    TreeForm,
)
from deid_portal.taxonomies.initial_values import VALUES_TYPED, initial_of
from deid_portal.taxonomies.library import describe_library
from deid_portal.taxonomies.models import ColumnTaxonomy, TaxonomyKind
from deid_portal.taxonomies.next_bars import bar_of_workbench
from deid_portal.taxonomies.selectors import (
    TaxonomyView,
    coverage_of,
    describe_shelf,
    describe_taxonomy,
    is_released,
    may_have_taxonomy,
    open_columns,
    quasi_identifiers,
    taxonomy_of,
    versions_of_taxonomy,
    without_taxonomy,
)
from deid_portal.taxonomies.services import MOST_VALUES
from deid_portal.taxonomies.visible_rows import TreeDrawing, draw_tree


class Tab(models.TextChoices):
    """The builders; the first five are kinds of recipes as well."""

    INTERVALS = TaxonomyKind.INTERVALS.value, "Intervals"
    QUANTILES = "quantiles", "Quantiles"
    DATES = TaxonomyKind.DATES.value, "Dates"
    MASK = TaxonomyKind.MASK.value, "Masking"
    RULES = "rules", "Rules"
    RARE = "rare", "Rare values"
    ORDER = "order", "Order"
    TREE = TaxonomyKind.TREE.value, "Type or paste"
    FILE = TaxonomyKind.FILE.value, "File"
    LIBRARY = "library", "Library"
    FLAT = TaxonomyKind.FLAT.value, "Shown or hidden"


BUILDERS: dict[str, type[BuilderForm]] = {
    Tab.INTERVALS: IntervalsForm,
    Tab.QUANTILES: QuantilesForm,
    Tab.DATES: DatesForm,
    Tab.MASK: MaskForm,
    Tab.RULES: RulesForm,
    Tab.RARE: RareForm,
    Tab.ORDER: OrderForm,
    Tab.TREE: TreeForm,
    Tab.FLAT: FlatForm,
}
# The tabs that fit a type, the most fitting first.
ANY_TYPE = [Tab.TREE, Tab.RULES, Tab.RARE, Tab.ORDER, Tab.FILE, Tab.LIBRARY, Tab.FLAT]
FITTING = {
    "integer": [Tab.INTERVALS, Tab.QUANTILES, *ANY_TYPE[:-1], Tab.MASK, Tab.FLAT],
    "number": [Tab.INTERVALS, Tab.QUANTILES, *ANY_TYPE],
    "date": [Tab.DATES, *ANY_TYPE[:-1], Tab.MASK, Tab.FLAT],
}
FITTING_TEXT = [*ANY_TYPE[:-1], Tab.MASK, Tab.FLAT]


@dataclass(frozen=True)
class TreeState:
    """The message about a change of the tree, or its refusal."""

    at: int | None = None  # the node that gets the focus
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
    keep: KeepTaxonomyForm | None = None,
) -> HttpResponse:
    tree = tree or TreeState()
    sees_values = can_see_values(person_of(request), dataset)
    whole = describe_taxonomy(column)
    view = whole if sees_values else None
    taxonomy = taxonomy_of(column)
    open_tab = _open_tab(column, taxonomy, tab)
    context = {
        "dataset": dataset,
        "column": column,
        **_around(dataset, column),
        "taxonomy": taxonomy,
        "view": view,
        "coverage": coverage_of(column, taxonomy, view),
        "chart": effect_of(whole.effects, is_whole=not whole.uncovered_count) if whole else None,
        "tree": tree,
        "drawing": _draw(request, column, view, tree) if view and view.outline else None,
        "versions": versions_of_taxonomy(column),
        "version": taxonomy.version if taxonomy else None,
        "can_change": sees_values,
        "is_locked": is_released(taxonomy.version if taxonomy else None),
        "problem": problem,
        "kinds": _fitting_tabs(column),
        "builder": _builder(column, open_tab, form) if sees_values else None,
        "library": describe_library(column) if sees_values and open_tab == Tab.LIBRARY else None,
        "most_values": MOST_VALUES,
        "shows_builders": taxonomy is None or bool(tab or form or keep or problem),
        "keep_form": keep or KeepTaxonomyForm(initial={"name": column.name[:100]}),
    }
    refused = problem or form or keep or tree.problem
    return render(request, "taxonomies/workbench.html", context, status=422 if refused else 200)


def _around(dataset: Dataset, column: DatasetColumn) -> dict[str, Any]:
    """Return the context of the parts around the workbench: list of columns, counts, next bar."""
    still_open = open_columns(dataset)
    needed = len(quasi_identifiers(dataset))
    shelf = describe_shelf(dataset)
    return {
        "shelf": shelf,
        "has_optional": any(line.state == "not needed" for line in shelf),
        "open_count": len(still_open),
        "done_count": needed - len(still_open),
        "needed_count": needed,
        "missing_count": len(without_taxonomy(dataset)),
        "bar": bar_of_workbench(dataset, column, still_open),
        "current": "taxonomies",
        "help_slug": "taxonomies",
    }


def _draw(
    request: HttpRequest, column: DatasetColumn, view: TaxonomyView, tree: TreeState
) -> TreeDrawing | None:
    if view.outline is None:
        return None
    sent = request.POST if request.method == "POST" else request.GET
    asked = {
        name: sent[name] for name in ("open", "toggle", "find", "reveal", "from") if name in sent
    }
    if tree.at is not None:
        asked["reveal"] = str(tree.at)
    return draw_tree(view.outline, asked, is_ordered=column.type in ("integer", "number", "date"))


def _fitting_tabs(column: DatasetColumn) -> list[Tab]:
    return FITTING.get(column.type, FITTING_TEXT)


def _open_tab(column: DatasetColumn, taxonomy: ColumnTaxonomy | None, tab: str) -> Tab:
    """Return the builder to show: the one asked for, the one in force, or the most fitting."""
    for name in (tab, taxonomy.kind if taxonomy else ""):
        if name in Tab.values:
            return Tab(name)
    fitting = _fitting_tabs(column)
    # Thousands of values are not typed into a tree; rules can cover them.
    is_typed_in_vain = fitting[0] == Tab.TREE and column.distinct > VALUES_TYPED
    return Tab.RULES if is_typed_in_vain else fitting[0]


def _builder(column: DatasetColumn, tab: Tab, bound: forms.Form | None) -> dict[str, Any]:
    """Return the open builder with the submitted or else its initial values."""
    form = bound
    if form is None and tab in BUILDERS:
        form = BUILDERS[tab](initial=initial_of(column, tab))
    return {"kind": tab.value, "label": tab.label, "form": form}
