"""Reading a file in the background: it becomes a table in the vault with profiled columns."""

from contextlib import suppress
from dataclasses import asdict
from typing import Any, BinaryIO, cast

from django.db import transaction
from django.urls import reverse

from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset, DatasetColumn, Reading
from deid_portal.datasets.table_hooks import Unpack, pack_for_next_version
from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.compiled.cores import map_in_threads
from deid_portal.engine.detection import ColumnLook, Findings, look_at, suggest_by_looks
from deid_portal.engine.files.arrow import write_arrow
from deid_portal.engine.files.file_format import FileFormat
from deid_portal.engine.files.table_reader import list_row_problems, read_table
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.profile import ColumnProfile, profile_column
from deid_portal.notices.services import tell
from deid_portal.vault import vault
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)
from deid_portal.work.limits import limits_of_file, limits_of_reading

WORKERS_DIED = (
    "The worker broke off each time it tried to read this file. Where the machine was not switched "
    "off, the file may be too large for it."
)
NO_ROOM = (
    "There was no room left to store the table. The upload is kept. "
    "Ask the administrator to make room, then try again."
)
UNEXPECTED = "The file could not be read because of a fault in the portal. Try again."


def perform_reading(lease: Lease[Reading]) -> None:
    """Read, store, count; ends the work exactly once, whatever happens."""
    limits = lease.limits = limits_of_reading()
    lease.end_stuck = lambda over: _end_without_table(lease, WorkStatus.FAILED, str(over))
    with _endings(lease).applied():
        with lease, limits.refusing_too_much():
            table, profiles, findings = _read_and_count(lease)
            parcels = pack_for_next_version(lease.work.dataset, table, lease.progress)
        dataset = lease.work.dataset
        retry_while_unreachable(
            lambda: _keep_columns(lease, dataset, table, profiles, findings, parcels)
        )


def _endings(lease: Lease[Reading]) -> Endings:
    return Endings(
        stop=lambda: _end_without_table(lease, WorkStatus.STOPPED, ""),
        fail=lambda problem: _end_without_table(lease, WorkStatus.FAILED, problem),
        drop=lambda: _delete_table(lease),
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
        limits=lease.limits,
    )


def _read_and_count(
    lease: Lease[Reading],
) -> tuple[Table, tuple[ColumnProfile, ...], Findings]:
    dataset = lease.work.dataset
    file_format = FileFormat.from_document(lease.work.file_format)
    with vault.open_reader(dataset.upload_file) as stream:
        try:
            table = read_table(
                stream, file_format, lease.progress, dataset.file_sha256, limits_of_file()
            )
        except InvalidTable:
            _note_bad_rows(lease, file_format, stream)
            raise
    profiles, looks = count_and_store(lease, dataset, table)
    return table, profiles, suggest_by_looks(table, looks, lease.progress)


def _note_bad_rows(lease: Lease[Reading], file_format: FileFormat, stream: BinaryIO) -> None:
    """List all rows that cannot be read, so that they can be corrected together."""
    limits = limits_of_file()
    found = list_row_problems(stream, file_format, progress=lease.progress, limits=limits)
    problems = [asdict(problem) for problem in found]
    Reading.objects.filter(id=lease.work.id).update(row_problems=problems)


def count_and_store(
    lease: Lease[Any], dataset: Dataset, table: Table
) -> tuple[tuple[ColumnProfile, ...], tuple[ColumnLook, ...]]:
    """Profile every column, suggest its role and store it in the vault; columns in parallel."""

    def work(position: int) -> tuple[ColumnProfile, ColumnLook]:
        # Cached counts are dropped after each column: for all columns they would need much memory.
        column = table.columns[position].without_caches()
        file = dataset.column_file(lease.token, position)
        with vault.VaultWriter(file, is_hashed=False) as writer:
            write_arrow(Table((column,)), cast(BinaryIO, writer))
        return profile_column(column), look_at(column)

    count = len(table.columns)
    steps = Progress(lease.progress)
    steps.report(0, count, "profile")
    # The longest first, so that no core waits for it at the end.
    order = sorted(range(count), key=lambda position: -table.columns[position].different)
    done = map_in_threads(work, order, lambda done: steps.report(done, count, "profile"))
    in_place = dict(zip(order, done, strict=True))
    profiles, looks = zip(*(in_place[position] for position in range(count)), strict=True)
    return profiles, looks


@transaction.atomic
def _keep_columns(
    lease: Lease[Reading],
    dataset: Dataset,
    table: Table,
    profiles: tuple[ColumnProfile, ...],
    findings: Findings,
    parcels: list[Unpack],
) -> None:
    lease.finish()
    write_columns(dataset, table, profiles, findings)
    dataset.rows = table.rows
    dataset.table_id = lease.token
    dataset.state = Dataset.State.READY
    dataset.save(update_fields=["rows", "table_id", "state", "changed_at"])
    record_event(
        "dataset.read",
        actor=lease.work.asked_by,
        team=dataset.team,
        subject=dataset,
        facts={"rows": table.rows, "columns": len(table.columns)},
    )
    for unpack in parcels:
        unpack(dataset, lease.work.asked_by)
    tell(
        [lease.work.asked_by],
        f"{dataset} was read: {table.rows:,} rows, {len(table.columns):,} columns.",
        kind="dataset.read",
        url=reverse(dataset.subject.page_after_reading, args=[dataset.id]),
        team=dataset.team,
    )


def write_columns(
    dataset: Dataset, table: Table, profiles: tuple[ColumnProfile, ...], findings: Findings
) -> None:
    """Replace the column rows of a dataset; call it inside a transaction."""
    dataset.columns.all().delete()
    DatasetColumn.objects.bulk_create(
        DatasetColumn(
            dataset=dataset,
            position=position,
            name=column.name,
            type=column.type.value,
            missing=profile.missing,
            distinct=profile.distinct,
            uniques=profile.uniques,
            rarest=profile.rarest,
            profile=_values_of(profile),
            suggestion=asdict(findings.suggestions[position]),
        )
        for position, (column, profile) in enumerate(zip(table.columns, profiles, strict=True))
    )


def _values_of(profile: ColumnProfile) -> dict[str, Any]:
    """Return the part of a profile that holds values, which is stored sealed."""
    shown = ("most_frequent", "histogram", "minimum", "maximum", "mean")
    return {name: getattr(profile, name) for name in shown}


def _end_without_table(lease: Lease[Reading], status: WorkStatus, problem: str) -> None:
    _delete_table(lease)

    def write_end() -> None:
        with transaction.atomic(), suppress(LeaseLost):
            lease.finish(status, problem=problem)
            end_reading_without_table(lease.work)
            if status == WorkStatus.FAILED:
                _tell_that_it_failed(lease.work)

    retry_while_unreachable(write_end)


def _delete_table(lease: Lease[Reading]) -> None:
    """Delete the columns stored by this attempt, which are named by its lease.

    Unless they are in force: a commit may have succeeded although the connection was lost.
    """
    if Dataset.objects.filter(id=lease.work.dataset_id, table_id=lease.token).exists():
        return
    vault.delete(f"datasets/{lease.work.dataset_id}/table-{lease.token}")


@transaction.atomic
def give_up_reading(reading: Reading) -> None:
    """End a reading whose workers keep dying, most likely for lack of memory."""
    if end_as_given_up(reading, WORKERS_DIED):
        end_reading_without_table(reading)
        _tell_that_it_failed(reading)


def end_reading_without_table(reading: Reading) -> None:
    dataset = reading.dataset
    dataset.state = Dataset.State.UPLOADED
    dataset.save(update_fields=["state", "changed_at"])
    record_event("dataset.not_read", actor=reading.asked_by, team=dataset.team, subject=dataset)


def _tell_that_it_failed(reading: Reading) -> None:
    dataset = reading.dataset
    tell(
        [reading.asked_by],
        f"The file of {dataset} could not be read.",
        kind="dataset.not_read",
        url=reverse("datasets:preview", args=[dataset.id]),
        team=dataset.team,
    )
