"""Uploaded files are written directly to the vault: never in clear on disk, never whole in memory.

The upload handler runs before any view, even before the CSRF check, so it does its own checks: data
from anonymous requests and data beyond the limit are discarded. A file that no view keeps is
deleted when the request ends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO
from uuid import uuid4

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponse
from django.template.defaultfilters import filesizeformat

from deid_portal.vault import vault

PASTED_NAME = "Pasted table.tsv"


def upload_limit_words() -> str:
    return filesizeformat(settings.UPLOAD_LIMIT_BYTES).replace(".0", "")


def too_big_sentence() -> str:
    """The message for a file over the limit, used by the browser and by the server."""
    return (
        f"The file is larger than {upload_limit_words()}, the limit of this portal. "
        "Leave out columns nobody needs, or ask the administrator to raise the limit."
    )


class SealedUpload(UploadedFile):  # type: ignore[type-arg]
    """An uploaded file, encrypted in the vault and deleted unless a view keeps it."""

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
    """Treat a pasted table like an uploaded file."""
    stored_as = f"{vault.INCOMING}/{uuid4()}"
    with vault.VaultWriter(stored_as) as writer:
        writer.write(text.encode())
    return SealedUpload(PASTED_NAME, stored_as, writer.size, writer.sha256)


class EncryptingUploadHandler(FileUploadHandler):
    chunk_size = 1024 * 1024
    writer: vault.VaultWriter

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        if not self.request.user.is_authenticated:  # type: ignore[union-attr]
            raise SkipFile
        self.stored_as = f"{vault.INCOMING}/{uuid4()}"
        with self._skipping_when_full():
            self.writer = vault.VaultWriter(self.stored_as)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes | None:
        if start + len(raw_data) > settings.UPLOAD_LIMIT_BYTES:
            self.writer.abandon()
            refuse_upload(self.request, too_big_sentence())
            raise SkipFile
        with self._skipping_when_full():
            self.writer.write(raw_data)
        return None

    def file_complete(self, file_size: int) -> SealedUpload | None:
        if self.writer.closed:
            return None
        try:
            self.writer.commit()
        except vault.DiskFull as full:
            refuse_upload(self.request, str(full))
            return None
        return SealedUpload(self.file_name or "", self.stored_as, file_size, self.writer.sha256)

    @contextmanager
    def _skipping_when_full(self) -> Iterator[None]:
        """Skip the rest of the file on a full disk, so that the page can show the reason."""
        try:
            yield
        except vault.DiskFull as full:
            self.upload_interrupted()
            refuse_upload(self.request, str(full))
            raise SkipFile from None

    def upload_interrupted(self) -> None:
        writer = getattr(self, "writer", None)
        if writer is not None and not writer.closed:
            writer.abandon()


class AbandonedUploadMiddleware:
    """Delete partial files of requests that were interrupted or cancelled.

    Django notifies upload handlers if they stop an upload themselves, not if the connection ends.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        try:
            return self.get_response(request)
        finally:
            for handler in getattr(request, "_upload_handlers", []):
                handler.upload_interrupted()


def refuse_upload(request: HttpRequest | None, sentence: str) -> None:
    if request is not None:
        request.META["portal.upload_refused"] = sentence


def why_refused(request: HttpRequest) -> str:
    """Return why the file was refused, or an empty text."""
    return str(request.META.get("portal.upload_refused", ""))
