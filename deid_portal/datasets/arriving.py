"""A large file comes in pieces; cut off, it goes on where it stopped.

Every piece is encrypted into the vault as it comes and counts once it is whole, so what has arrived
is known exactly. When the last one is there they become one file, as if it had come in one go. What
nobody sends on for a day is deleted.
"""

from typing import Protocol
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from deid_portal.accounts.models import Team, User
from deid_portal.audit.services import record_event
from deid_portal.common import vault
from deid_portal.common.refusals import Refused
from deid_portal.datasets.models import ARRIVING_KEPT, ArrivingUpload
from deid_portal.datasets.permissions import check_can_upload
from deid_portal.datasets.uploading import SealedUpload, too_big_sentence

PIECE_BYTES = 4 * 1024 * 1024
COPY_BYTES = 256 * 1024


class OutOfStep(Exception):  # noqa: N818
    """The piece is not the one that comes next; another window may have sent it already."""


class PieceCutOff(Exception):  # noqa: N818
    """The line went dead in the middle of a piece; nothing of it was kept."""


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@transaction.atomic
def begin_upload(
    *, team: Team, sent_by: User, file_name: str, file_bytes: int, file_stamp: int
) -> ArrivingUpload:
    """Return the upload of this file: the one that was cut off, if there is one, else a new one."""
    check_can_upload(sent_by, team)
    if file_bytes > settings.UPLOAD_LIMIT_BYTES:
        raise Refused(too_big_sentence())
    file = {"file_name": file_name, "file_bytes": file_bytes, "file_stamp": file_stamp}
    found = ArrivingUpload.objects.filter(team=team, sent_by=sent_by, **file).first()
    if found is not None:
        return found
    upload = ArrivingUpload.objects.create(team=team, sent_by=sent_by, **file)
    _record("upload.started", upload, sent_by)
    return upload


def take_piece(upload: ArrivingUpload, start: int, length: int, stream: Readable) -> None:
    """Store the piece that comes next; it counts when all of it is safe on disk."""
    if start != upload.arrived_bytes:
        raise OutOfStep
    if not 0 < length <= min(PIECE_BYTES, upload.file_bytes - start):
        raise Refused("The file changed while it was sent. Discard the upload and begin again.")
    with vault.VaultWriter(upload.piece_file(start)) as writer:
        _copy(stream, writer, length)
    arriving = ArrivingUpload.objects.filter(id=upload.id, arrived_bytes=start)
    arriving.update(arrived_bytes=start + length, changed_at=timezone.now())
    try:
        upload.refresh_from_db(fields=["arrived_bytes", "changed_at"])
    except ArrivingUpload.DoesNotExist:
        vault.delete(upload.folder)  # it was given up while this piece was on its way
        raise


def _copy(stream: Readable, writer: vault.VaultWriter, length: int) -> None:
    while writer.size < length:
        try:
            block = stream.read(min(COPY_BYTES, length - writer.size))
        except OSError:
            raise PieceCutOff from None
        if not block:
            raise PieceCutOff
        writer.write(block)


def join_pieces(upload: ArrivingUpload) -> SealedUpload:
    """Make one file of all pieces, which stay until the upload is ended."""
    if upload.arrived_bytes < upload.file_bytes:
        raise Refused("Some of the file is still missing. Resume the upload.")
    stored_as = f"{vault.INCOMING}/{uuid4()}"
    with vault.VaultWriter(stored_as) as writer:
        while writer.size < upload.file_bytes:
            with vault.open_reader(upload.piece_file(writer.size)) as piece:
                while block := piece.read(COPY_BYTES):
                    writer.write(block)
    return SealedUpload(upload.file_name, stored_as, writer.size, writer.sha256)


@transaction.atomic
def end_upload(upload: ArrivingUpload) -> None:
    """Let go of the pieces of a file that has arrived; what became of it is recorded there."""
    upload_folder = upload.folder
    upload.delete()
    transaction.on_commit(lambda: vault.delete(upload_folder))


@transaction.atomic
def give_up_upload(upload: ArrivingUpload, given_up_by: User | None) -> None:
    """Delete what has arrived of a file; nobody is named when it just lay too long."""
    _record("upload.given_up", upload, given_up_by)
    end_upload(upload)


def give_up_old_uploads() -> int:
    """Delete what nobody has sent on for a day."""
    old = list(ArrivingUpload.objects.filter(changed_at__lt=timezone.now() - ARRIVING_KEPT))
    for upload in old:
        give_up_upload(upload, None)
    return len(old)


def _record(action: str, upload: ArrivingUpload, actor: User | None) -> None:
    facts = {"bytes": upload.file_bytes, "arrived": upload.arrived_bytes}
    record_event(action, actor=actor, team=upload.team, subject=upload, facts=facts)
