"""The page with the changes of a new version, and the list of all versions."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.people import person_of
from deid_portal.datasets.kinds import get_table_or_404
from deid_portal.datasets.permissions import can_see_values, check_can_change
from deid_portal.datasets.policies import check_was_read
from deid_portal.datasets.selectors import (
    get_dataset_or_404,
    versions_of_dataset,
    why_not_continued,
)
from deid_portal.versions.change_rows import draw_changes
from deid_portal.versions.next_bars import bar_of_drift
from deid_portal.versions.people import columns_to_name, name_person_column, named_column
from deid_portal.versions.selectors import (
    carried_over,
    drift_of,
    unplaced_values,
    what_does_not_fit,
)
from deid_portal.web.refusals import Refused, entering_step


@require_GET
def drift(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Show the changes since the version before, and decisions that do not fit any more."""
    dataset = get_table_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "upload"):
        check_was_read(dataset)
    sees_values = can_see_values(person_of(request), dataset)
    found = drift_of(dataset)
    is_open = found is not None and dataset.is_ready
    unplaced = unplaced_values(dataset) if is_open else []
    misfits = what_does_not_fit(dataset, thorough=True) if is_open else []
    rows = []
    if found is not None:
        columns = dataset.columns.defer("profile")
        rows = draw_changes(found, columns, unplaced)
    carried = carried_over(dataset)
    context = {
        "dataset": dataset,
        "drift": found,
        "before": dataset.previous,
        "misfits": misfits,
        "unplaced": {one.column.position: one for one in unplaced},
        "carried": carried,
        "changed": [row for row in rows if not row.is_quiet],
        "quiet": [row for row in rows if row.is_quiet],
        "columns_before": sum(not row.change.is_new for row in rows),
        "columns_after": sum(not row.change.is_gone for row in rows),
        "can_change": sees_values,
        "person_column": named_column(dataset),
        "person_columns": columns_to_name(dataset),
        "bar": bar_of_drift(dataset, misfits, carried, can_change=sees_values) if is_open else None,
        "current": "upload",
        "help_slug": "versions",
    }
    return render(request, "versions/drift.html", context)


@require_POST
def name_people(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Choose the column that identifies people in every version."""
    person = person_of(request)
    dataset = get_table_or_404(person, dataset_id)
    check_can_change(person, dataset)
    try:
        name = request.POST.get("column", "")
        name_person_column(dataset=dataset, name=name, named_by=person)
        messages.success(request, "Saved. Releases of all versions are crossed by it.")
    except Refused as reason:
        messages.error(request, str(reason))
    return redirect("versions:drift", dataset.id)


@require_GET
def history(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Every version of a dataset, the newest first."""
    person = person_of(request)
    dataset = get_dataset_or_404(person, dataset_id)
    versions = list(versions_of_dataset(dataset))
    context = {
        "dataset": dataset,
        "versions": versions,
        "continue_refusal": why_not_continued(person, versions[0]),
        "current": "upload",
        "help_slug": "versions",
    }
    return render(request, "versions/history.html", context)
