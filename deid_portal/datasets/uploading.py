"""Uploaded files go straight into the vault: never in clear on disk, never whole in memory.

The handler runs before any view, even before the cross-site check has read its token, so it guards
itself: a body from somebody who is not signed in is thrown away, and so is everything past the
limit. A file that no view keeps is deleted when the request ends.
"""

from collections.abc import Callable
from typing import Any, BinaryIO
from uuid import uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponse

from deid_portal.common import vault

PASTED_NAME = "Pasted table.tsv"


class SealedUpload(UploadedFile):  # type: ignore[type-arg]
    """An uploaded file that lies encrypted in the vault until somebody keeps it."""

    def __init__(self, name: str, stored_as: str, size: int, sha256: str) -> None:
        super().__init__(file=None, name=name, size=size)
        self.stored_as = stored_as
        self.sha256 = sha256

    def open_reader(self) -> BinaryIO:
        return vault.open_reader(self.stored_as)

    def keep_as(self, name: str) -> None:
        vault.move(self.stored_as, name)

    def close(self) -> None:
        vault.delete(self.stored_as)


def seal_pasted(text: str) -> SealedUpload:
    """Take a pasted table as if it had come as a file."""
    stored_as = f"{vault.INCOMING}/{uuid4()}"
    with vault.VaultWriter(stored_as) as writer:
        writer.write(text.encode())
    return SealedUpload(PASTED_NAME, stored_as, writer.size, writer.sha256)


class EncryptingUploadHandler(FileUploadHandler):
    chunk_size = 1024 * 1024

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if not self.request.user.is_authenticated:  # type: ignore[union-attr]
            raise SkipFile
        self.stored_as = f"{vault.INCOMING}/{uuid4()}"
        self.writer = vault.VaultWriter(self.stored_as)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if start + len(raw_data) > settings.UPLOAD_LIMIT_BYTES:
            self.writer.abandon()
            mark_too_big(self.request)
            raise SkipFile
        self.writer.write(raw_data)
        return None

    def file_complete(self, file_size: int) -> SealedUpload | None:
        if self.writer.closed:
            return None
        self.writer.commit()
        return SealedUpload(self.file_name or "", self.stored_as, file_size, self.writer.sha256)

    def upload_interrupted(self) -> None:
        writer = getattr(self, "writer", None)
        if writer is not None and not writer.closed:
            writer.abandon()


class AbandonedUploadMiddleware:
    """Throw away the half of a file that arrived before the line was cut or Cancel was pressed.

    Django tells its handlers of a stop they asked for themselves, not of a connection that ended.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return self.get_response(request)
        finally:
            for handler in getattr(request, "_upload_handlers", []):
                handler.upload_interrupted()


def mark_too_big(request: HttpRequest | None) -> None:
    if request is not None:
        request.META["portal.upload_too_big"] = True


def is_too_big(request: HttpRequest) -> bool:
    return bool(request.META.get("portal.upload_too_big"))
