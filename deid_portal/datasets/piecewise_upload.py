"""Resumable uploads: large files are sent in pieces.

Every piece is encrypted into the vault and recorded once it is complete, so it is known where to
resume. After the last piece the file is like any other. Uploads that are not continued for a day
are deleted.
"""

from typing import Protocol

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.datasets import incremental_hashes
from deid_portal.datasets.models import ARRIVING_KEPT, ArrivingUpload, Dataset
from deid_portal.datasets.permissions import check_can_upload
from deid_portal.datasets.sealed_upload import SealedUpload, too_big_sentence
from deid_portal.vault import vault
from deid_portal.vault.growing_files import PiecesLost, held_file
from deid_portal.web.refusals import Refused

PIECE_BYTES = 8 * 1024 * 1024


class OutOfStep(Exception):  # noqa: N818
    """The piece is not the one that comes next; another window may have sent it already."""


class PieceCutOff(Exception):  # noqa: N818
    """The line went dead in the middle of a piece; nothing of it was kept."""


class GivenUp(Exception):  # noqa: N818
    """Somebody discarded the upload while a piece was on its way."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@transaction.atomic
def begin_upload(
    *,
    team: Team,
    sent_by: User,
    file_name: str,
    file_bytes: int,
    file_stamp: int,
    name: str = "",
    next_of: Dataset | None = None,
) -> ArrivingUpload:
    """Return the upload of this file: the one that was cut off, if there is one, else a new one.

    What the dataset is to be called is kept with it; who only resumes need not say it again.
    """
    check_can_upload(sent_by, team)
    if file_bytes > settings.UPLOAD_LIMIT_BYTES:
        raise Refused(too_big_sentence())
    file = {"file_name": file_name, "file_bytes": file_bytes, "file_stamp": file_stamp}
    found = ArrivingUpload.objects.filter(team=team, sent_by=sent_by, **file).first()
    if found is None:
        upload = ArrivingUpload.objects.create(
            team=team, sent_by=sent_by, name=name, next_of=next_of, **file
        )
        _record("upload.started", upload, sent_by)
        return upload
    if name or next_of:
        _change_wishes(found, sent_by, name, next_of)
    if found.arrived_bytes and not vault.exists(found.file):
        _begin_again(found)
    return found


def _change_wishes(
    upload: ArrivingUpload, changed_by: User, name: str, next_of: Dataset | None
) -> None:
    if (upload.name, upload.next_of) != (name, next_of):
        upload.name, upload.next_of = name, next_of
        upload.save(update_fields=["name", "next_of"])
        _record("upload.renamed", upload, changed_by)


def _begin_again(upload: ArrivingUpload) -> None:
    """Restart an upload whose pieces were lost, by a crash or a restored backup."""
    ArrivingUpload.objects.filter(id=upload.id).update(arrived_bytes=0)
    upload.arrived_bytes = 0


def take_piece(upload: ArrivingUpload, start: int, length: int, stream: Readable) -> None:
    """Store the next piece; it is recorded once all of it is on disk."""
    if start != upload.arrived_bytes:
        raise OutOfStep
    if length != min(PIECE_BYTES, upload.file_bytes - start):
        raise Refused("The file changed while it was sent. Discard the upload and begin again.")
    piece = _receive(stream, length)
    try:
        _add_piece(upload, start, piece)
    except PiecesLost:
        _begin_again(upload)
        raise OutOfStep from None
    except ArrivingUpload.DoesNotExist:
        vault.delete(upload.folder)
        raise GivenUp from None


def _receive(stream: Readable, length: int) -> bytes:
    """Receive the whole piece before taking locks, so that a slow connection blocks nobody."""
    blocks: list[bytes] = []
    while (missing := length - sum(map(len, blocks))) > 0:
        try:
            blocks.append(stream.read(missing))
        except OSError:
            raise PieceCutOff from None
        if not blocks[-1]:
            raise PieceCutOff
    return b"".join(blocks)


def _add_piece(upload: ArrivingUpload, start: int, piece: bytes) -> None:
    end = start + len(piece)
    with held_file(upload.file, PIECE_BYTES) as file:
        upload.refresh_from_db(fields=["arrived_bytes", "changed_at"])
        if start != upload.arrived_bytes:
            raise OutOfStep  # another window sent it first
        before, after = file.add(start, piece, is_last=end == upload.file_bytes)
        incremental_hashes.go_on(piece, before=before if start else None, after=after)
        file.make_safe()
        now = timezone.now()
        arriving = ArrivingUpload.objects.filter(id=upload.id)
        if not arriving.update(arrived_bytes=end, changed_at=now):
            raise ArrivingUpload.DoesNotExist
    upload.arrived_bytes, upload.changed_at = end, now


def open_arrived(upload: ArrivingUpload) -> SealedUpload:
    """Return the file, now that all of it is here."""
    if upload.arrived_bytes < upload.file_bytes or not vault.exists(upload.file):
        raise Refused("Some of the file is still missing. Resume the upload.")
    sha256 = incremental_hashes.finish(upload.file)
    return SealedUpload(upload.file_name, upload.file, upload.file_bytes, sha256)


@transaction.atomic
def end_upload(upload: ArrivingUpload) -> None:
    """Delete an upload, unless it was kept; keeping or giving it up is recorded elsewhere."""
    upload_folder = upload.folder
    upload.delete()
    transaction.on_commit(lambda: vault.delete(upload_folder))


@transaction.atomic
def give_up_upload(upload: ArrivingUpload, given_up_by: User | None) -> None:
    """Delete an incomplete upload; `given_up_by` is None if it expired."""
    _record("upload.given_up", upload, given_up_by)
    end_upload(upload)


def give_up_old_uploads() -> int:
    """Delete uploads that were not continued for a day."""
    old = list(ArrivingUpload.objects.filter(changed_at__lt=timezone.now() - ARRIVING_KEPT))
    for upload in old:
        give_up_upload(upload, None)
    return len(old)


def _record(action: str, upload: ArrivingUpload, actor: User | None) -> None:
    facts = {"bytes": upload.file_bytes, "arrived": upload.arrived_bytes}
    record_event(action, actor=actor, team=upload.team, subject=upload, facts=facts)
