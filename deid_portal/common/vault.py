"""Encrypted files under DATA_DIR: uploads, tables, released rows. The only door to them.

What must never happen: clear text on disk, a half-written file taken for a whole one, a file cut
short or stitched together from two that still opens. So: a writer encrypts as it goes, under a
temporary name, and the real name appears in one rename; every file has a key of its own (derived
from the data key and a random salt), every chunk is sealed with its number, and the last chunk says
that it is the last (the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, 2015).
"""

import hashlib
import io
import os
import shutil
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from uuid import uuid4

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from deid_portal.common.keys import KEY_NAME_BYTES, current_key, derive_key, find_key, key_name

MAGIC = b"DPV1"
SALT_BYTES = 16
CHUNK_BYTES = 1024 * 1024
TAG_BYTES = 16
HEADER_BYTES = len(MAGIC) + KEY_NAME_BYTES + SALT_BYTES
INCOMING = "incoming"


class DamagedFile(Exception):  # noqa: N818
    """A stored file was changed, cut short or closed with another key."""


def path_of(name: str) -> Path:
    root = (settings.DATA_DIR / "files").resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise ValueError("A stored file must lie inside the vault.")
    return path


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + (b"\x01" if is_last else b"\x00")


class VaultWriter(io.RawIOBase):
    """Write a file that appears under its name only when the `with` block ends well."""

    def __init__(self, name: str) -> None:
        self.path = path_of(name)
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._partial = self.path.with_name(f"{self.path.name}.{uuid4().hex}.part")
        key, salt = current_key(), os.urandom(SALT_BYTES)
        self._cipher = AESGCM(derive_key(key, "vault file", salt))
        descriptor = os.open(self._partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._file = os.fdopen(descriptor, "wb")
        self._file.write(MAGIC + key_name(key) + salt)
        self._pending = bytearray()
        self._number = 0
        self._digest = hashlib.sha256()
        self.size = 0

    @property
    def sha256(self) -> str:
        """The hash of the clear bytes written so far."""
        return self._digest.hexdigest()

    def writable(self) -> bool:
        return True

    def write(self, clear: bytes | bytearray | memoryview) -> int:  # type: ignore[override]
        self._pending += clear
        self._digest.update(clear)
        self.size += len(clear)
        # One byte more than a chunk must be there: the last chunk is sealed differently.
        while len(self._pending) > CHUNK_BYTES:
            self._seal_chunk(bytes(self._pending[:CHUNK_BYTES]), is_last=False)
            del self._pending[:CHUNK_BYTES]
        return len(clear)

    def _seal_chunk(self, clear: bytes, *, is_last: bool) -> None:
        self._file.write(self._cipher.encrypt(_nonce(self._number, is_last), clear, None))
        self._number += 1

    def commit(self) -> None:
        try:
            self._seal_chunk(bytes(self._pending), is_last=True)
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            self._partial.replace(self.path)
        except BaseException:
            self.abandon()
            raise
        self.close()

    def abandon(self) -> None:
        try:
            self._file.close()
        except OSError:
            pass  # a full disk refuses the last bytes; they are not wanted any more
        finally:
            self._partial.unlink(missing_ok=True)
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.closed:
            return
        if kind is None:
            self.commit()
        else:
            self.abandon()


class _VaultReader(io.RawIOBase):
    def __init__(self, path: Path) -> None:
        self._file = path.open("rb")
        header = self._file.read(HEADER_BYTES)
        if not header.startswith(MAGIC) or len(header) < HEADER_BYTES:
            raise DamagedFile("A stored file is damaged.")
        name = header[len(MAGIC) : len(MAGIC) + KEY_NAME_BYTES]
        salt = header[len(MAGIC) + KEY_NAME_BYTES :]
        self._cipher = AESGCM(derive_key(find_key(name), "vault file", salt))
        sealed = os.fstat(self._file.fileno()).st_size - HEADER_BYTES
        self._chunks, rest = divmod(sealed, CHUNK_BYTES + TAG_BYTES)
        self._chunks += bool(rest)
        self._size = sealed - self._chunks * TAG_BYTES
        self._ahead = self._file.read(CHUNK_BYTES + TAG_BYTES)
        if not self._ahead:
            raise DamagedFile("A stored file is damaged.")  # even an empty file has a last chunk
        self._clear = memoryview(b"")
        self._number = 0
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place; the chunk it lies in is opened and checked, the ones before are not."""
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        position = max(start + offset, 0)
        chunk = min(position // CHUNK_BYTES, self._chunks - 1)
        self._file.seek(HEADER_BYTES + chunk * (CHUNK_BYTES + TAG_BYTES))
        self._ahead = self._file.read(CHUNK_BYTES + TAG_BYTES)
        self._number = chunk
        self._clear = memoryview(b"")
        within = position - chunk * CHUNK_BYTES
        if within:
            self._open_chunk()
            self._clear = self._clear[within:]
        self._position = position
        return position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._clear and self._ahead:
            self._open_chunk()
        count = min(len(buffer), len(self._clear))
        buffer[:count] = self._clear[:count]
        self._clear = self._clear[count:]
        self._position += count
        return count

    def _open_chunk(self) -> None:
        following = self._file.read(CHUNK_BYTES + TAG_BYTES)
        try:
            nonce = _nonce(self._number, is_last=not following)
            self._clear = memoryview(self._cipher.decrypt(nonce, self._ahead, None))
        except InvalidTag as error:
            raise DamagedFile("A stored file is damaged.") from error
        self._ahead = following
        self._number += 1

    def close(self) -> None:
        self._file.close()
        super().close()


def open_reader(name: str) -> BinaryIO:
    """Open a stored file for reading, from any place; nothing but its clear bytes come out."""
    return io.BufferedReader(_VaultReader(path_of(name)), CHUNK_BYTES)


def move(name: str, new_name: str) -> None:
    target = path_of(new_name)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path_of(name).replace(target)


def delete(name: str) -> None:
    """Delete a stored file, or a folder of them; fine if it is already gone."""
    path = path_of(name)
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def delete_leftovers(older_than_seconds: float) -> int:
    """Delete what a crash left behind: uploads nobody kept and files that were never finished."""
    root = path_of("")
    before = time.time() - older_than_seconds
    leftovers = [*root.glob(f"{INCOMING}/*"), *root.rglob("*.part")]
    stale = [path for path in set(leftovers) if path.is_file() and path.stat().st_mtime < before]
    for path in stale:
        path.unlink(missing_ok=True)
    return len(stale)
