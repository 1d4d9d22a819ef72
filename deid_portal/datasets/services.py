"""Changing datasets: uploads, formats, roles. Every change leaves an audit record."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date
from typing import Any

from django.db import transaction

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.datasets.deletion import forget_dataset
from deid_portal.datasets.models import (
    ColumnRoleChoices,
    Dataset,
    DatasetColumn,
    Reading,
    Tagging,
    TreatmentChoices,
)
from deid_portal.datasets.permissions import check_can_change, check_can_upload
from deid_portal.datasets.policies import (
    check_awaits_confirmation,
    check_can_be_continued,
    check_is_ready,
    check_not_in_use,
)
from deid_portal.datasets.same_format import read_like
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.datasets.table_hooks import run_deletion_hooks
from deid_portal.datasets.tasks import read_dataset
from deid_portal.engine import InvalidTable
from deid_portal.engine.files.file_format import FileFormat
from deid_portal.engine.files.table_reader import FileDetection, detect_file
from deid_portal.vault import vault
from deid_portal.web.refusals import Refused
from deid_portal.work.leases import queue, request_stop
from deid_portal.work.limits import limits_of_file

UNDO_STEPS = 20


def upload_dataset(
    *,
    team: Team,
    uploaded_by: User,
    upload: SealedUpload,
    name: str,
    file_format: FileFormat | None = None,
) -> Dataset:
    """Store an uploaded file for the preview; raises InvalidTable if it is not a table.

    The format is detected, unless the caller passes it as `file_format`.
    """
    check_can_upload(uploaded_by, team)
    detected = FileDetection(file_format, {}) if file_format else _detect(upload)
    dataset = Dataset(
        team=team,
        name=name,
        file_name=upload.name or "",
        file_bytes=upload.size or 0,
        file_sha256=upload.sha256,
        file_format=detected.format.to_document(),
        detection=_detection_document(detected),
        created_by=uploaded_by,
    )
    try:
        _keep_upload(dataset, upload)
    except BaseException:
        vault.delete(f"datasets/{dataset.id}")  # without its row the file could not be found
        raise
    return dataset


@transaction.atomic
def _keep_upload(dataset: Dataset, upload: SealedUpload) -> None:
    dataset.save()
    upload.keep_as(dataset.upload_file)
    record_event(
        "dataset.uploaded",
        actor=dataset.created_by,
        team=dataset.team,
        subject=dataset,
        facts={"sha256": dataset.file_sha256, "bytes": dataset.file_bytes},
    )


def _detect(upload: SealedUpload) -> FileDetection:
    with upload.open_reader() as stream:
        return detect_file(stream, limits=limits_of_file())


def _detection_document(detected: FileDetection) -> dict[str, Any]:
    return {
        "format": detected.format.to_document(),
        "evidence": detected.evidence,
        "sheets": list(detected.sheets),
    }


@transaction.atomic
def change_format(*, dataset: Dataset, changed_by: User, file_format: FileFormat) -> None:
    """Change the format of a file; for another sheet the format is detected again."""
    check_can_change(changed_by, dataset)
    check_awaits_confirmation(_lock(dataset))
    dataset.file_format, before = file_format.to_document(), dataset.file_format
    if dataset.file_format.get("sheet") != before.get("sheet"):
        _look_at_sheet(dataset)
    dataset.save(update_fields=["file_format", "detection", "changed_at"])
    record_event(
        "dataset.format_changed",
        actor=changed_by,
        team=dataset.team,
        subject=dataset,
        facts=dataset.file_format,
    )


def _look_at_sheet(dataset: Dataset) -> None:
    """Detect where the table of the chosen sheet begins; if there is none, the preview says so."""
    with suppress(InvalidTable), vault.open_reader(dataset.upload_file) as stream:
        detected = detect_file(stream, dataset.file_format["sheet"], limits_of_file())
        dataset.file_format = detected.format.to_document()
        dataset.detection = _detection_document(detected)


@transaction.atomic
def place_in_series(
    *, dataset: Dataset, placed_by: User, next_of: Dataset | None, reads_alike: bool = True
) -> None:
    """Make an upload the next version of another dataset, or, with None, a dataset of its own.

    It takes over the name and, unless its preview was confirmed already, the format.
    """
    check_can_change(placed_by, dataset)
    check_awaits_confirmation(_lock(dataset))
    if next_of is None:
        series, number, before = dataset.id, 1, None
    else:
        before = _newest_other(dataset, next_of)
        check_can_change(placed_by, before)
        check_can_be_continued(before)
        series, number = before.series, before.version + 1
        dataset.name = before.name
        if reads_alike:
            dataset.file_format = read_like(dataset, before)
    dataset.series, dataset.version, dataset.previous = series, number, before
    dataset.save(
        update_fields=["series", "version", "previous", "name", "file_format", "changed_at"]
    )
    record_event(
        "dataset.placed",
        actor=placed_by,
        team=dataset.team,
        subject=dataset,
        facts={"version": number, "next_of": str(before.id) if before else ""},
    )


def _newest_other(dataset: Dataset, other: Dataset) -> Dataset:
    """Lock a series, so that of two simultaneous next versions one is refused."""
    versions = Dataset.objects.select_for_update().filter(series=other.series)
    return versions.exclude(id=dataset.id).order_by("-version")[0]


@transaction.atomic
def rename_dataset(*, dataset: Dataset, changed_by: User, name: str) -> None:
    check_can_change(changed_by, dataset)
    dataset.name = name
    dataset.save(update_fields=["name", "changed_at"])
    record_event("dataset.renamed", actor=changed_by, team=dataset.team, subject=dataset)


@transaction.atomic
def set_deletion_day(*, dataset: Dataset, set_by: User, delete_on: date | None) -> None:
    check_can_change(set_by, dataset)
    dataset.delete_on = delete_on
    dataset.save(update_fields=["delete_on", "changed_at"])
    record_event(
        "dataset.deletion_day_set",
        actor=set_by,
        team=dataset.team,
        subject=dataset,
        facts={"delete_on": str(delete_on or "")},
    )


def forget_now(*, dataset: Dataset, forgotten_by: User) -> None:
    check_can_change(forgotten_by, dataset)
    forget_dataset(dataset, forgotten_by)


@transaction.atomic
def keep_dataset(*, dataset: Dataset, kept_by: User) -> Reading:
    """Start reading the whole file in the background with the present settings."""
    check_can_change(kept_by, dataset)
    locked = _lock(dataset)
    check_awaits_confirmation(locked)
    reading = Reading.objects.create(
        dataset=locked, asked_by=kept_by, file_format=locked.file_format
    )
    locked.state = Dataset.State.READING
    locked.save(update_fields=["state", "changed_at"])
    record_event("dataset.kept", actor=kept_by, team=locked.team, subject=locked)
    queue(reading, read_dataset)
    return reading


@transaction.atomic
def stop_reading(*, reading: Reading, stopped_by: User) -> None:
    check_can_change(stopped_by, reading.dataset)
    dataset = _lock(reading.dataset)
    if request_stop(reading):
        dataset.state = Dataset.State.UPLOADED
        dataset.save(update_fields=["state", "changed_at"])
    record_event("dataset.reading_stopped", actor=stopped_by, team=dataset.team, subject=dataset)


@transaction.atomic
def discard_dataset(*, dataset: Dataset, discarded_by: User) -> None:
    """Delete a dataset that was never used, with its file."""
    check_can_change(discarded_by, dataset)
    locked = _lock(dataset)
    check_not_in_use(locked)
    run_deletion_hooks(locked)
    locked.delete()
    transaction.on_commit(lambda: vault.delete(dataset.folder))
    record_event(
        "dataset.discarded",
        actor=discarded_by,
        team=dataset.team,
        subject=dataset,
        facts={"sha256": dataset.file_sha256},
    )


def _lock(dataset: Dataset) -> Dataset:
    """Lock the dataset; always before the audit record, so that there is no deadlock."""
    return Dataset.objects.select_for_update().get(id=dataset.id)


@transaction.atomic
def tag_columns(
    *, dataset: Dataset, tagged_by: User, roles: Mapping[int, ColumnRoleChoices | str]
) -> list[DatasetColumn]:
    """Assign roles to columns, by position; an empty role removes a decision."""
    check_can_change(tagged_by, dataset)
    check_is_ready(dataset)
    columns = {column.position: column for column in dataset.columns.filter(position__in=roles)}
    if len(columns) != len(roles):
        raise Refused("This column is not part of the dataset. Reload the page.")
    before = {position: column.role for position, column in columns.items()}
    _give_roles(columns.values(), roles)
    dataset.save(update_fields=["changed_at"])
    _remember_for_undo(dataset, tagged_by, before, roles)
    _record_decisions("dataset.columns_tagged", tagged_by, dataset, columns.values(), "role")
    return list(columns.values())


def accept_suggestions(*, dataset: Dataset, accepted_by: User, positions: Iterable[int]) -> int:
    """Give columns the roles that are suggested for them; returns how many there were.

    Columns without a suggested role, such as free text, stay open.
    """
    columns = dataset.columns.filter(position__in=positions)
    suggested = {column.position: column.suggestion.get("role") for column in columns}
    roles = {position: role for position, role in suggested.items() if role}
    if roles:
        tag_columns(dataset=dataset, tagged_by=accepted_by, roles=roles)
    return len(roles)


@transaction.atomic
def undo_tagging(*, dataset: Dataset, undone_by: User) -> list[DatasetColumn]:
    """Undo the last step of a person, except columns changed by others since."""
    check_can_change(undone_by, dataset)
    last = dataset.taggings.select_for_update().filter(made_by=undone_by).first()
    if last is None:
        return []
    columns = [
        column
        for column in dataset.columns.filter(position__in=last.after)
        if column.role == last.after[str(column.position)]
    ]
    _give_roles(columns, {int(place): role for place, role in last.before.items()})
    last.delete()
    dataset.save(update_fields=["changed_at"])
    _record_decisions("dataset.tagging_undone", undone_by, dataset, columns, "role")
    return columns


def _give_roles(
    columns: Iterable[DatasetColumn], roles: Mapping[int, ColumnRoleChoices | str]
) -> None:
    changed = list(columns)
    for column in changed:
        column.role = roles[column.position]
    DatasetColumn.objects.bulk_update(changed, ["role"])


def _remember_for_undo(
    dataset: Dataset, person: User, before: Mapping[int, str], after: Mapping[int, str]
) -> None:
    own = dataset.taggings.filter(made_by=person)
    Tagging.objects.create(dataset=dataset, made_by=person, before=before, after=after)
    too_old = own.values_list("id", flat=True)[UNDO_STEPS:]
    own.filter(id__in=list(too_old)).delete()


@transaction.atomic
def choose_treatment(
    *, column: DatasetColumn, chosen_by: User, treatment: TreatmentChoices
) -> None:
    check_can_change(chosen_by, column.dataset)
    column.treatment = treatment
    column.save(update_fields=["treatment"])
    _record_decisions("dataset.treatment_chosen", chosen_by, column.dataset, [column], "treatment")


def _record_decisions(
    action: str, actor: User, dataset: Dataset, columns: Iterable[DatasetColumn], decided: str
) -> None:
    # Numbers, not names: in a file without a header cells of the first row may be taken for names.
    facts: dict[str, Any] = {"columns": {c.number: getattr(c, decided) for c in columns}}
    record_event(action, actor=actor, team=dataset.team, subject=dataset, facts=facts)
