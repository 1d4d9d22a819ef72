"""Step 1: upload a file, preview it, correct its format, keep it."""

from datetime import date
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from deid_portal.accounts.models import Team, User
from deid_portal.accounts.people import person_of, team_of_or_404
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.datasets.deletion import usual_deletion_day
from deid_portal.datasets.forms import (
    PASTE_LIMIT,
    DeletionForm,
    FormatForm,
    KeepTableForm,
    UploadForm,
    paste_too_long_sentence,
)
from deid_portal.datasets.kinds import get_table_or_404
from deid_portal.datasets.models import Dataset, Reading
from deid_portal.datasets.next_bars import bar_of_preview, bar_of_table_upload
from deid_portal.datasets.permissions import can_see_values, check_can_change, check_can_upload
from deid_portal.datasets.piecewise_upload import PIECE_BYTES
from deid_portal.datasets.policies import check_can_be_forgotten, check_not_in_use
from deid_portal.datasets.preview import (
    PreviewTable,
    accepted_endings,
    file_kind_words,
    show_preview,
)
from deid_portal.datasets.progress import describe_reading
from deid_portal.datasets.sealed_upload import (
    SealedUpload,
    seal_pasted,
    too_big_sentence,
    upload_limit_words,
    why_refused,
)
from deid_portal.datasets.selectors import (
    arriving_uploads_of,
    bad_rows_of,
    datasets_to_continue,
    evidence_of,
    find_dataset,
    get_dataset_or_404,
    latest_reading,
    preview_of,
    tables_of_team,
)
from deid_portal.datasets.services import (
    change_format,
    discard_dataset,
    forget_now,
    keep_dataset,
    place_in_series,
    rename_dataset,
    set_deletion_day,
    stop_reading,
    upload_dataset,
)
from deid_portal.datasets.subjects import TableSubject
from deid_portal.engine import EngineError
from deid_portal.engine.files.file_format import FileFormat, FileKind
from deid_portal.vault import vault
from deid_portal.web.http import go_to, wants_part
from deid_portal.web.refusals import Refused, refusal
from deid_portal.work.queue import is_queue_reachable

DATASETS_PER_PAGE = 50


@require_GET
def list_datasets(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    if not roles_of(person, team) & DATASET_ROLES:
        return redirect("releases:list")
    wanted = request.GET.get("q", "").replace("\0", "").strip()
    datasets = tables_of_team(person, team)
    if wanted:
        datasets = datasets.filter(name__icontains=wanted)
    page = Paginator(datasets, DATASETS_PER_PAGE).get_page(request.GET.get("page"))
    upload_refusal = refusal(check_can_upload, person, team)
    upload = {"label": "Upload a table", "url": reverse("datasets:new"), "icon": "file-upload"}
    context = {
        "page": page,
        "wanted": wanted,
        "page_query": f"&{urlencode({'q': wanted})}" if wanted else "",
        "upload_refusal": upload_refusal,
        "upload_action": None if upload_refusal else upload,
        "help_slug": "upload",
    }
    return render(request, "datasets/list.html", context)


@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    person, team = person_of(request), team_of_or_404(request)
    check_can_upload(person, team)
    asked = find_dataset(person, request.GET.get("next_of", ""))
    if asked is not None and asked.subject.upload_page != TableSubject.upload_page:
        there = reverse(asked.subject.upload_page)
        return redirect(f"{there}?{urlencode({'next_of': asked.id})}")
    offered = datasets_to_continue(person, team)
    form = UploadForm(offered=offered, initial=_asked_to_continue(request, offered))
    if request.method == "POST":
        upload, refused = _received(request)
        form = UploadForm(request.POST, upload=upload, refused=refused, offered=offered)
        dataset = take_upload(form, team, person)
        if dataset is not None:
            place_upload(request, dataset, form.chosen)
            there = reverse("datasets:preview", args=[dataset.id])
            return go_to(there) if wants_part(request) else redirect(there)
    context = {
        "form": form,
        "limit_bytes": settings.UPLOAD_LIMIT_BYTES,
        "limit_words": upload_limit_words(),
        "too_big": too_big_sentence(),
        "accepted": ",".join(f".{ending}" for ending in accepted_endings()),
        "pasted": request.POST.get("pasted", ""),
        "paste_limit": PASTE_LIMIT,
        "paste_too_long": paste_too_long_sentence(),
        "arriving": arriving_uploads_of(person, team),
        "piece_bytes": PIECE_BYTES,
        "bar": bar_of_table_upload(),
        "help_slug": "upload",
    }
    return render(request, "datasets/new.html", context, status=422 if form.errors else 200)


def _received(request: HttpRequest) -> tuple[SealedUpload | None, str]:
    """Return the uploaded file or pasted table, or the reason why there is none."""
    upload, pasted = request.FILES.get("file"), request.POST.get("pasted", "")
    refused = why_refused(request)
    if upload is None and pasted.strip() and not refused:
        try:
            return seal_pasted(pasted), ""
        except vault.DiskFull as full:
            return None, str(full)
    return cast(SealedUpload | None, upload), refused


def _asked_to_continue(request: HttpRequest, offered: list[Dataset]) -> dict[str, str]:
    """Return what the form starts with: "upload the next version" names any of its versions."""
    asked = find_dataset(person_of(request), request.GET.get("next_of", ""))
    newest = (str(one.id) for one in offered if asked is not None and one.series == asked.series)
    return {"next_of": next(newest, "")}


def place_upload(request: HttpRequest, dataset: Dataset, next_of: Dataset | None) -> None:
    """Make an upload a next version; if another one was quicker, it stays a dataset of its own."""
    if next_of is None:
        return
    try:
        place_in_series(dataset=dataset, placed_by=person_of(request), next_of=next_of)
    except Refused as reason:
        messages.error(request, f"{reason} Until then this file is a new dataset.")


def take_upload(form: UploadForm, team: Team, person: User) -> Dataset | None:
    """Return the new dataset, or None with the reason in the form; a refused file is deleted."""
    if not form.is_valid():
        return None
    try:
        return upload_dataset(
            team=team, uploaded_by=person, upload=form.upload, name=form.cleaned_data["name"]
        )
    except EngineError as error:
        form.add_error(None, str(error))
        form.upload.close()
        return None


@require_GET
def preview(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_table_or_404(person_of(request), dataset_id)
    return _show_preview(request, dataset)


@require_POST
def set_format(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_table_or_404(person_of(request), dataset_id)
    form = _format_form(dataset, request.POST)
    if not form.is_valid():
        return _show_preview(request, dataset, form=form)
    change_format(dataset=dataset, changed_by=person_of(request), file_format=form.to_format())
    if wants_part(request):
        return _show_preview(request, dataset)
    return redirect("datasets:preview", dataset.id)


@require_POST
def place(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """Say before keeping it that the file is the next version of something, or is not."""
    person = person_of(request)
    dataset = get_table_or_404(person, dataset_id)
    check_can_change(person, dataset)
    form = _keep_form(person, dataset, request.POST)
    form.full_clean()
    try:
        form.check_choice()
        place_in_series(dataset=dataset, placed_by=person, next_of=form.chosen)
    except Refused as reason:
        messages.error(request, str(reason))
    there = reverse("datasets:preview", args=[dataset.id])
    return go_to(there) if wants_part(request) else redirect(there)


@require_POST
def keep(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    person = person_of(request)
    dataset = get_table_or_404(person, dataset_id)
    if dataset.state != Dataset.State.UPLOADED:
        # A second click, after the first one kept it.
        return redirect("datasets:preview", dataset.id)
    form = _keep_form(person, dataset, request.POST)
    if not form.is_valid():
        form.fields["name"].widget.attrs["autofocus"] = True
        return _show_preview(request, dataset, name_form=form)
    if form.chosen != dataset.previous:
        place_in_series(dataset=dataset, placed_by=person, next_of=form.chosen, reads_alike=False)
    name = form.cleaned_data["name"]
    if form.chosen is None and name != dataset.name:
        rename_dataset(dataset=dataset, changed_by=person, name=name)
    _set_day(dataset, person, form.cleaned_data["delete_on"])
    keep_dataset(dataset=dataset, kept_by=person)
    # A small file may be read before the next page is asked for; that page knows where to go.
    return redirect("datasets:reading", dataset.id)


def _show_preview(
    request: HttpRequest,
    dataset: Dataset,
    *,
    form: FormatForm | None = None,
    name_form: KeepTableForm | None = None,
    deletion_form: DeletionForm | None = None,
) -> HttpResponse:
    sees_values = can_see_values(person_of(request), dataset)
    shows_rows = sees_values and not dataset.is_forgotten
    table, unreadable = _preview_table(dataset) if shows_rows else (None, "")
    reading = latest_reading(dataset)
    failed = _why_reading_failed(dataset, reading)
    settings_form = form or _format_form(dataset)
    context = {
        "dataset": dataset,
        "form": settings_form,
        "name_form": name_form or _keep_form(person_of(request), dataset),
        "deletion_form": deletion_form or DeletionForm(initial={"delete_on": dataset.delete_on}),
        "settings": _settings(settings_form, evidence_of(dataset) if sees_values else {}),
        "table": table,
        **_bad_rows_context(request, dataset, reading, can_see=shows_rows, has_table=bool(table)),
        "problem": unreadable or failed,
        "can_change": sees_values,
        "is_part": wants_part(request),
        **_facts_of(dataset),
        "bar": bar_of_preview(
            dataset,
            unreadable=unreadable,
            failed=failed,
            can_change=sees_values,
            doubtful=table.doubtful if table else (),
        ),
        "current": "upload",
        "help_slug": "upload",
        **_reading_context(reading),
    }
    template = "datasets/_preview.html" if wants_part(request) else "datasets/preview.html"
    refused = (form or name_form or deletion_form) is not None
    return render(request, template, context, status=422 if refused else 200)


def _facts_of(dataset: Dataset) -> dict[str, Any]:
    """Return what the file is and what can be done with it."""
    return {
        "kind": file_kind_words(dataset),
        "what": "table" if dataset.file_format["kind"] == FileKind.DATABASE else "file",
        "is_open": dataset.state == Dataset.State.UPLOADED,
        "discard_refusal": refusal(check_not_in_use, dataset),
        "forget_refusal": refusal(check_can_be_forgotten, dataset),
    }


def _bad_rows_context(
    request: HttpRequest,
    dataset: Dataset,
    reading: Reading | None,
    *,
    can_see: bool,
    has_table: bool,
) -> dict[str, Any]:
    """Rows that cannot be read have a tab beside the first rows while the file can be mended."""
    if not can_see or dataset.state != Dataset.State.UPLOADED:
        return {"bad_rows": None}
    is_current = reading is not None and reading.file_format == dataset.file_format
    bad_rows = bad_rows_of(dataset, reading if is_current else None)
    asked = request.GET.get("rows") == "problems"
    shows = asked or (not has_table and bool(bad_rows.problems))
    return {"bad_rows": bad_rows, "shows_bad_rows": shows}


def _keep_form(person: User, dataset: Dataset, data: Any = None) -> KeepTableForm:
    initial = {
        "name": dataset.name,
        "next_of": str(dataset.previous_id or ""),
        "delete_on": usual_deletion_day(),
    }
    offered = datasets_to_continue(person, dataset.team, dataset)
    return KeepTableForm(data, initial=initial, offered=offered)


def _why_reading_failed(dataset: Dataset, reading: Reading | None) -> str:
    """Return what went wrong with the whole file, unless the settings have changed since."""
    if reading is None or dataset.is_ready or reading.file_format != dataset.file_format:
        return ""
    return reading.problem


def _format_form(dataset: Dataset, data: Any = None) -> FormatForm:
    file_format = FileFormat.from_document(dataset.file_format)
    return FormatForm(data, file_format=file_format, sheets=dataset.detection.get("sheets", []))


def _preview_table(dataset: Dataset) -> tuple[PreviewTable | None, str]:
    """Return the first rows with what is doubtful about them, or why there are none."""
    try:
        return show_preview(dataset, preview_of(dataset)), ""
    except EngineError as error:
        return None, str(error)


def _settings(form: FormatForm, evidence: dict[str, str]) -> list[dict[str, Any]]:
    """Return every setting with the reason for its detected value."""
    return [{"field": field, "evidence": evidence.get(field.name, "")} for field in form]


def _reading_context(reading: Reading | None) -> dict[str, Any]:
    if reading is None:
        return {"reading": None}
    waits = reading.status == Reading.Status.QUEUED
    return {
        "reading": reading,
        "progress": describe_reading(reading),
        "queue_is_away": waits and not is_queue_reachable(),
    }


@require_GET
def reading(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    """The progress of the reading: polled until it ends, then it leads on.

    A first version leads to its columns, a later one to what it changed.
    """
    dataset = get_table_or_404(person_of(request), dataset_id)
    current = latest_reading(dataset)
    if current is not None and current.is_open and wants_part(request):
        context = {"dataset": dataset, **_reading_context(current)}
        return render(request, "datasets/_reading.html", context)
    there = dataset.subject.page_after_reading if dataset.is_ready else "datasets:preview"
    address = reverse(there, args=[dataset.id])
    if wants_part(request):
        return go_to(address)
    return _show_preview(request, dataset) if not dataset.is_ready else redirect(address)


@require_POST
def stop(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_table_or_404(person_of(request), dataset_id)
    current = latest_reading(dataset)
    if current is not None and current.is_open:
        stop_reading(reading=current, stopped_by=person_of(request))
    return redirect("datasets:preview", dataset.id)


@require_POST
def discard(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    name = dataset.name
    discard_dataset(dataset=dataset, discarded_by=person_of(request))
    messages.success(request, f"{name} was discarded, with its file.")
    return redirect("datasets:list")


@require_POST
def set_deletion(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_table_or_404(person_of(request), dataset_id)
    form = DeletionForm(request.POST)
    if not form.is_valid():
        return _show_preview(request, dataset, deletion_form=form)
    _set_day(dataset, person_of(request), form.cleaned_data["delete_on"])
    return redirect("datasets:preview", dataset.id)


def _set_day(dataset: Dataset, person: User, delete_on: date | None) -> None:
    if delete_on != dataset.delete_on:
        set_deletion_day(dataset=dataset, set_by=person, delete_on=delete_on)


@require_POST
def forget(request: HttpRequest, dataset_id: UUID) -> HttpResponse:
    dataset = get_dataset_or_404(person_of(request), dataset_id)
    forget_now(dataset=dataset, forgotten_by=person_of(request))
    messages.success(request, f"The table of {dataset.name} was deleted, with its file and keys.")
    return redirect("datasets:preview", dataset.id)
