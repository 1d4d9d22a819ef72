from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from deid_portal.accounts.models import User
from deid_portal.accounts.people import person_of
from deid_portal.datasets.models import Dataset, DatasetColumn
from deid_portal.datasets.permissions import check_can_change
from deid_portal.datasets.policies import check_columns_decided, check_is_ready
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.datasets.selectors import get_column_or_404, get_dataset_or_404, values_of
from deid_portal.engine import EngineError
from deid_portal.engine.taxonomies import write_json, write_paths, write_rows
from deid_portal.engine.wording.words import counted
from deid_portal.taxonomies.downloads import as_download
from deid_portal.taxonomies.figures import effect_title
from deid_portal.taxonomies.forms import BuilderForm, KeepTaxonomyForm
from deid_portal.taxonomies.library import (
    find_fitting,
    get_of_team,
    remove_from_library,
    save_to_library,
    use_from_library,
)
from deid_portal.taxonomies.models import TaxonomyKind, TaxonomyVersion
from deid_portal.taxonomies.pages import (
    BUILDERS,
    Tab,
    TreeState,
    get_column_to_build_or_404,
    show_workbench,
)
from deid_portal.taxonomies.selectors import (
    build_taxonomy,
    describe_taxonomy,
    may_have_taxonomy,
    open_columns,
    quasi_identifiers,
    taxonomy_of,
)
from deid_portal.taxonomies.services import (
    check_can_build,
    edit_as_new_version,
    edit_taxonomy,
    propose_missing_taxonomies,
    propose_taxonomy,
    remove_taxonomy,
    set_outline,
    set_public_labels,
    set_taxonomy,
    set_taxonomy_from_file,
    undo_step,
    use_version,
)
from deid_portal.taxonomies.tree_edits import ACTIONS, node_to_show, read_steps, say
from deid_portal.taxonomies.trials import try_builder
from deid_portal.web.http import go_to, wants_part
from deid_portal.web.refusals import Refused, entering_step

TAXONOMY_FILE_LIMIT = 20 * 1024 * 1024


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
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    return show_workbench(request, dataset, column, tab=request.GET.get("tab", ""))


@require_POST
def build(request: HttpRequest, dataset_id: UUID, position: int, kind: str) -> HttpResponse:
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    if kind not in BUILDERS:
        raise Http404
    form = BUILDERS[kind](request.POST)
    if not form.is_valid():
        return show_workbench(request, dataset, column, form=form, tab=kind)
    try:
        _build(column, person_of(request), Tab(kind), form)
    except EngineError as error:
        problem = _sentence(error)
        return show_workbench(request, dataset, column, form=form, tab=kind, problem=problem)
    return _lead_to_workbench(request, dataset, column)


@require_POST
def try_out(request: HttpRequest, dataset_id: UUID, position: int, kind: str) -> HttpResponse:
    """Show what a builder would do with its present fields; nothing is saved."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    check_can_build(person_of(request), column)
    if kind not in BUILDERS:
        raise Http404
    form = BUILDERS[kind](request.POST)
    context: dict[str, object] = {"dataset": dataset, "column": column}
    if form.is_valid():
        try:
            trial = try_builder(column, form)
            context |= {"trial": trial, "title": effect_title(trial.effects)}
        except EngineError as error:
            context["problem"] = _sentence(error)
    else:
        context["problem"] = _first_mistake(form)
    return render(request, "taxonomies/_trial.html", context)


def _first_mistake(form: BuilderForm) -> str:
    """Say what is wrong with what was typed; a field that is still empty is no mistake."""
    mistakes = (error for errors in form.errors.as_data().values() for error in errors)
    return next((str(error.messages[0]) for error in mistakes if error.code != "required"), "")


def _build(column: DatasetColumn, user: User, tab: Tab, form: BuilderForm) -> None:
    check_can_build(user, column)
    outline = form.to_outline(values_of(column))
    if outline is not None:
        set_outline(column=column, changed_by=user, outline=outline, words=tab.label)
    else:
        set_taxonomy(
            column=column, changed_by=user, kind=TaxonomyKind(tab), recipe=form.to_recipe()
        )


@require_POST
def propose(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Build the taxonomy that suits the values best; it can be changed like any other tree."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    try:
        words = propose_taxonomy(column=column, changed_by=person_of(request))
    except EngineError as error:
        return show_workbench(request, dataset, column, problem=str(error))
    messages.success(request, f"Proposed. {words}. Change what does not fit.")
    return redirect("taxonomies:workbench", dataset.id, position)


@require_POST
def propose_missing(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Build a taxonomy for every quasi-identifier that has none."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    with entering_step(dataset, "taxonomies"):
        check_columns_decided(dataset)
    proposed = propose_missing_taxonomies(dataset=dataset, changed_by=person_of(request))
    count = counted(len(proposed), "taxonomy", "taxonomies")
    messages.success(request, f"{count} proposed. Look at each, and change what does not fit.")
    return redirect("taxonomies:overview", dataset.id)


@require_POST
def upload_file(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    upload = request.FILES.get("file")
    try:
        content = _read_whole(upload)
        set_taxonomy_from_file(column=column, changed_by=person_of(request), content=content)
    except (EngineError, Refused) as error:
        return show_workbench(
            request, dataset, column, tab=TaxonomyKind.FILE, problem=_sentence(error)
        )
    return _lead_to_workbench(request, dataset, column)


def _lead_to_workbench(
    request: HttpRequest, dataset: Dataset, column: DatasetColumn
) -> HttpResponse:
    """Redirect to the workbench; htmx is told to follow, since it only inserts refusals."""
    url = reverse("taxonomies:workbench", args=[dataset.id, column.position])
    return go_to(url) if wants_part(request) else redirect(url)


def _sentence(error: Exception) -> str:
    """Turn the engine's message about the file entry of a plan into a sentence."""
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
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    remove_taxonomy(column=column, removed_by=person_of(request))
    messages.success(request, f"The taxonomy of {column.name} was removed.")
    return redirect("taxonomies:workbench", dataset.id, position)


@require_POST
def mark_public_labels(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Say whether releases may name what stands below a group."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    is_public = "public_labels" in request.POST
    set_public_labels(column=column, changed_by=person_of(request), public_labels=is_public)
    said = "name what stands below a group" if is_public else "number what stands below a group"
    messages.success(request, f"Releases will {said} of {column.name}.")
    return redirect("taxonomies:workbench", dataset.id, position)


@require_POST
def edit(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Change the tree: one button of the form around it, or undo and redo."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    check_can_build(person_of(request), column)
    action = request.POST.get("do", "")
    try:
        if action in ("undo", "redo"):
            state = _undo(request, column, forward=action == "redo")
        elif action in ACTIONS:
            state = _edit(request, column)
        else:
            return HttpResponseBadRequest("There is no such change.")
    except (EngineError, Refused) as error:
        at = request.POST.get("at", "")
        state = TreeState(int(at) if at.isdecimal() else None, problem=str(error))
        return show_workbench(request, dataset, column, tree=state)
    if wants_part(request):
        return show_workbench(request, dataset, column, tree=state)
    messages.success(request, state.said)
    query = {"open": request.POST.get("open", ""), "reveal": "" if state.at is None else state.at}
    url = reverse("taxonomies:workbench", args=[dataset.id, position])
    return redirect(f"{url}?{urlencode(query)}#tree-card")


def _undo(request: HttpRequest, column: DatasetColumn, forward: bool) -> TreeState:
    undo_step(column=column, changed_by=person_of(request), forward=forward)
    at = request.POST.get("at", "")
    said = "The change was made again." if forward else "The last change was undone."
    return TreeState(int(at) if at.isdecimal() else None, said)


def _edit(request: HttpRequest, column: DatasetColumn) -> TreeState:
    view = describe_taxonomy(column)
    if view is None or view.outline is None:
        raise Refused(f"{column.name} has no tree that could be edited here.")
    steps = read_steps(request.POST, view.outline)
    after = edit_taxonomy(column=column, changed_by=person_of(request), steps=steps)
    return TreeState(node_to_show(steps, view.outline, after), say(steps))


@require_POST
def restore(request: HttpRequest, dataset_id: UUID, position: int, number: int) -> HttpResponse:
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    try:
        use_version(column=column, changed_by=person_of(request), number=number)
    except TaxonomyVersion.DoesNotExist:
        raise Http404 from None
    messages.success(request, f"Version {number} is in use again.")
    return redirect("taxonomies:workbench", dataset.id, position)


@require_POST
def begin_version(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Edit a version that shaped an approved release, as a new one."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    edit_as_new_version(column=column, changed_by=person_of(request))
    messages.success(request, "A new version was begun. What was released stays as it was.")
    return redirect("taxonomies:workbench", dataset.id, position)


@require_POST
def use_library(request: HttpRequest, dataset_id: UUID, position: int, key: str) -> HttpResponse:
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    try:
        use_from_library(column=column, changed_by=person_of(request), key=key)
    except KeyError:
        raise Http404 from None
    except EngineError as error:
        problem = str(error)
        return show_workbench(request, dataset, column, tab=Tab.LIBRARY, problem=problem)
    return _lead_to_workbench(request, dataset, column)


@require_GET
def fitting(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """List taxonomies of shelf and library that fit a column, tagged or not."""
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    column = get_column_or_404(dataset, position)
    check_can_change(person_of(request), dataset)
    check_is_ready(dataset)
    return _show_fitting(request, dataset, column)


@require_POST
def adopt(request: HttpRequest, dataset_id: UUID, position: int, key: str) -> HttpResponse:
    """Use a fitting taxonomy and stay on the tagging page."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    try:
        use_from_library(column=column, changed_by=person_of(request), key=key)
    except KeyError:
        raise Http404 from None
    except EngineError as error:
        raise Refused(str(error)) from None
    if wants_part(request):
        return _show_fitting(request, dataset, column)
    messages.success(request, f"{column.name} has a taxonomy now.")
    columns = reverse("datasets:columns", args=[dataset.id])
    return redirect(f"{columns}?column={position}")


def _show_fitting(request: HttpRequest, dataset: Dataset, column: DatasetColumn) -> HttpResponse:
    taxonomy = taxonomy_of(column)
    context = {
        "dataset": dataset,
        "column": column,
        "taxonomy": taxonomy,
        "line": None if taxonomy else find_fitting(column),
        "can_use": may_have_taxonomy(column),
        "current": "columns",
    }
    name = "_fitting" if wants_part(request) else "fitting"
    return render(request, f"taxonomies/{name}.html", context)


@require_POST
def forget(request: HttpRequest, dataset_id: UUID, position: int, key: str) -> HttpResponse:
    """Take a taxonomy out of the team's library."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    check_can_build(person_of(request), column)
    try:
        kept = get_of_team(column, key)
    except KeyError:
        raise Http404 from None
    remove_from_library(kept=kept, removed_by=person_of(request))
    messages.success(request, "It was removed from the team library, with all its versions.")
    return _lead_to_library(dataset, position)


@require_POST
def keep(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Keep the tree in the team's library."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    check_can_build(person_of(request), column)
    form = KeepTaxonomyForm(request.POST)
    if not form.is_valid():
        return show_workbench(request, dataset, column, tab=Tab.LIBRARY, keep=form)
    kept = save_to_library(column=column, saved_by=person_of(request), **form.cleaned_data)
    messages.success(request, f"Kept in the team library as version {kept.number} of its name.")
    return _lead_to_library(dataset, position)


def _lead_to_library(dataset: Dataset, position: int) -> HttpResponse:
    url = reverse("taxonomies:workbench", args=[dataset.id, position])
    return redirect(f"{url}?tab={Tab.LIBRARY.value}#builders")


@require_GET
def export(request: HttpRequest, dataset_id: UUID, position: int) -> HttpResponse:
    """Download the taxonomy as CSV in the ARX form or as JSON; it names values: stewards only."""
    dataset, column = get_column_to_build_or_404(request, dataset_id, position)
    check_can_change(person_of(request), dataset)
    view = describe_taxonomy(column)
    outline = view.outline if view else None
    if request.GET.get("form") == "json":
        if outline is None:
            raise Http404
        return as_download(write_json(outline), "application/json", f"{column.number}.json")
    if outline is not None:
        content = write_paths(outline.paths())
    elif (built := build_taxonomy(column)) is not None:
        content = write_rows(built[1])
    else:
        raise Http404
    return as_download(content, "text/csv; charset=utf-8", f"{column.number}.csv")
