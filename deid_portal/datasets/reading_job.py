"""Reading an upload in the background; what is read, and what is kept of it, says its subject."""

from contextlib import suppress
from typing import Any

from django.db import transaction
from django.urls import reverse

from deid_portal.audit.services import record_event
from deid_portal.datasets.models import Dataset
from deid_portal.datasets.reading import ReadingFindings, ReadSubject
from deid_portal.datasets.table_hooks import Unpack, pack_for_next_version
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
from deid_portal.work.limits import limits_of_reading


def perform_reading(lease: Lease[Any]) -> None:
    """Read, store, count; ends the work exactly once, whatever happens."""
    limits = lease.limits = limits_of_reading()
    lease.end_stuck = lambda over: _end_unread(lease, WorkStatus.FAILED, str(over))
    with _endings(lease).applied():
        with lease, limits.refusing_too_much():
            subject = ReadSubject.of(lease.work.dataset)
            lease.expect(subject.expect())
            found = subject.read(lease)
            parcels = pack_for_next_version(lease.work.dataset, found.table, lease.progress)
        retry_while_unreachable(lambda: _keep(lease, found, parcels))


def _endings(lease: Lease[Any]) -> Endings:
    subject = ReadSubject.of(lease.work.dataset)
    return Endings(
        stop=lambda: _end_unread(lease, WorkStatus.STOPPED, ""),
        fail=lambda problem: _end_unread(lease, WorkStatus.FAILED, problem),
        drop=lambda: _delete_columns(lease),
        unexpected=subject.unexpected,
        no_room=subject.no_room,
        limits=lease.limits,
    )


@transaction.atomic
def _keep(lease: Lease[Any], found: ReadingFindings, parcels: list[Unpack]) -> None:
    lease.finish()
    dataset, asked_by = lease.work.dataset, lease.work.asked_by
    found.write_to(dataset)
    dataset.rows = found.rows
    dataset.table_id = lease.token
    dataset.state = Dataset.State.READY
    dataset.save(update_fields=["rows", "table_id", "state", "changed_at"])
    event = ReadSubject.of(dataset).read_event
    record_event(event, actor=asked_by, team=dataset.team, subject=dataset, facts=found.facts)
    for unpack in parcels:
        unpack(dataset, asked_by)
    tell(
        [asked_by],
        f"{dataset} was read: {found.size_words}.",
        kind=event,
        url=reverse(dataset.subject.page_after_reading, args=[dataset.id]),
        team=dataset.team,
    )


def _end_unread(lease: Lease[Any], status: WorkStatus, problem: str) -> None:
    _delete_columns(lease)

    def write_end() -> None:
        with transaction.atomic(), suppress(LeaseLost):
            lease.finish(status, problem=problem)
            _leave_unread(lease.work, tells=status == WorkStatus.FAILED)

    retry_while_unreachable(write_end)


def _delete_columns(lease: Lease[Any]) -> None:
    """Delete the columns stored by this attempt, which are named by its lease.

    Unless they are in force: a commit may have succeeded although the connection was lost.
    """
    if Dataset.objects.filter(id=lease.work.dataset_id, table_id=lease.token).exists():
        return
    vault.delete(f"datasets/{lease.work.dataset_id}/table-{lease.token}")


@transaction.atomic
def give_up_reading(reading: Any) -> None:
    """End a reading whose workers keep dying, most likely for lack of memory."""
    if end_as_given_up(reading, ReadSubject.of(reading.dataset).workers_died):
        _leave_unread(reading, tells=True)


def _leave_unread(reading: Any, *, tells: bool) -> None:
    """Leave the upload as it was, so that it can be read differently or discarded."""
    dataset = reading.dataset
    dataset.state = Dataset.State.UPLOADED
    dataset.save(update_fields=["state", "changed_at"])
    subject = ReadSubject.of(dataset)
    event = subject.not_read_event
    record_event(event, actor=reading.asked_by, team=dataset.team, subject=dataset)
    if tells:
        tell(
            [reading.asked_by],
            subject.not_read_words,
            kind=event,
            url=reverse(dataset.subject.pages["preview"], args=[dataset.id]),
            team=dataset.team,
        )
