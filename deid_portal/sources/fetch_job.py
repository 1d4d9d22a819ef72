"""Fetching from a database in the background: the rows are encrypted into a new dataset."""

from contextlib import suppress
from dataclasses import dataclass
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.template.defaultfilters import filesizeformat

from deid_portal.audit.services import record_event
from deid_portal.datasets.sealed_upload import SealedUpload
from deid_portal.datasets.services import upload_dataset
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.file_format import DatabaseFormat, FileFormat, FileKind
from deid_portal.sources.models import Fetch
from deid_portal.sources.policies import check_can_be_used
from deid_portal.sources.postgresql import CopyResult, SourceProblem, copy_answer
from deid_portal.vault import vault
from deid_portal.work.endings import Endings
from deid_portal.work.leases import (
    Lease,
    LeaseLost,
    WorkStatus,
    end_as_given_up,
    retry_while_unreachable,
)

WORKERS_DIED = (
    "The worker broke off each time it tried to copy this table. "
    "Where the machine was not switched off, ask for less of the table."
)
NO_ROOM = (
    "There was no room left to store the table. Nothing was kept. "
    "Ask the administrator to make room, then try again."
)
UNEXPECTED = "The table could not be copied because of a fault in the portal. Try again."
REMOVED = "The connection was removed meanwhile. Add it again."


def perform_fetch(lease: Lease[Fetch]) -> None:
    """Copy and keep; ends the work exactly once, and never keeps a partial copy."""
    upload = None
    try:
        with _endings(lease).applied():
            with lease:
                upload, answered = _copy(lease)
            _keep(lease, upload, answered)
    finally:
        if upload is not None:
            upload.close()  # a kept file has another name by now


def _endings(lease: Lease[Fetch]) -> Endings:
    return Endings(
        stop=lambda: _end(lease, WorkStatus.STOPPED, ""),
        fail=lambda problem: _end(lease, WorkStatus.FAILED, problem),
        drop=lambda: None,  # closing the copy deletes it in any case
        unexpected=UNEXPECTED,
        no_room=NO_ROOM,
    )


def _copy(lease: Lease[Fetch]) -> tuple[SealedUpload, CopyResult]:
    fetch = lease.work
    if fetch.connection is None:
        raise SourceProblem(REMOVED)
    check_can_be_used(fetch.connection)
    stored_as = f"{vault.INCOMING}/{uuid4()}"
    with vault.VaultWriter(stored_as) as writer:
        answered = copy_answer(
            fetch.connection.address,
            fetch.question,
            writer,
            _Watch(lease),
            settings.SOURCE_LIMIT_SECONDS,
        )
    return SealedUpload(_file_name(fetch), stored_as, writer.size, writer.sha256), answered


@dataclass(frozen=True)
class _Watch:
    lease: Lease[Fetch]

    def check(self) -> None:
        self.lease.check()

    def copied(self, rows: int, size: int) -> None:
        if size > settings.UPLOAD_LIMIT_BYTES:
            limit = filesizeformat(settings.UPLOAD_LIMIT_BYTES).replace(".0", "")
            raise SourceProblem(
                f"The answer is larger than {limit}, the limit of this portal. Ask for fewer "
                "columns or rows, or have the administrator raise the limit."
            )
        self.lease.progress(size, 0, "copy", rows=rows)


def _file_name(fetch: Fetch) -> str:
    """Return a file name for the dataset; never the query, which can name a person."""
    what = fetch.question.table or "Query"
    return f"{what} · {fetch.connection}"[:255]


@transaction.atomic
def _keep(lease: Lease[Fetch], upload: SealedUpload, answered: CopyResult) -> None:
    """Create the dataset; the file is moved last, when nothing can be refused any more."""
    lease.finish()
    types = dict.fromkeys(answered.text_columns, TypeChoice.TEXT)
    dataset = upload_dataset(
        team=lease.work.team,
        uploaded_by=lease.work.asked_by,
        upload=upload,
        name=lease.work.name,
        file_format=FileFormat(FileKind.DATABASE, DatabaseFormat(), types),
    )
    Fetch.objects.filter(id=lease.work.id).update(dataset=dataset)


def _end(lease: Lease[Fetch], status: WorkStatus, problem: str) -> None:
    def write() -> None:
        with transaction.atomic(), suppress(LeaseLost):
            lease.finish(status, problem=problem)
            _record_end(lease.work)

    retry_while_unreachable(write)


@transaction.atomic
def give_up_fetch(fetch: Fetch) -> None:
    if end_as_given_up(fetch, WORKERS_DIED):
        _record_end(fetch)


def _record_end(fetch: Fetch) -> None:
    record_event("source.not_fetched", actor=fetch.asked_by, team=fetch.team, subject=fetch)
