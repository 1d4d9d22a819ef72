"""Encrypted files under DATA_DIR: uploads, tables, released rows. All access goes through here.

What must never happen: plaintext on disk, a partial file taken for a complete one, a truncated or
recombined file that can still be read. So a writer encrypts while it writes, under a temporary
name, and the file gets its name by one rename; every chunk is bound to its place in its file, and a
file to its name (`chunks.py`). Files sent in several requests grow in place (`growing_files.py`).

Deleted data must stay deleted: the folder's key is destroyed first (`folder_keys.py`). Files of
earlier versions are written again by the command `rotate_data_key`.
"""

import errno
import hashlib
import io
import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from uuid import uuid4

from cryptography.exceptions import InvalidTag
from django.conf import settings

from deid_portal.vault.chunks import (
    CHUNK_BYTES,
    KEYLESS_MAGIC,
    MAGIC,
    SALT_BYTES,
    UNNAMED_GROWN_MAGIC,
    UNNAMED_MAGIC,
    file_cipher,
    name_tag,
    nonce_of,
    read_layout,
    write_name,
)
from deid_portal.vault.chunks import DamagedFile as DamagedFile
from deid_portal.vault.folder_keys import (
    KEYS,
    LOCK,
    KeyDestroyed,
    copy_key,
    destroy_key,
    folder_of_file,
    keys_held,
    list_folders,
    read_key,
    read_or_make_key,
)
from deid_portal.web.full_disk import SENTENCE, is_full_disk
from deid_portal.web.refusals import Refused

INCOMING = "incoming"
OLD_MAGICS = (KEYLESS_MAGIC, UNNAMED_MAGIC, UNNAMED_GROWN_MAGIC)
COPY_BYTES = 1024 * 1024


class DiskFull(Refused, OSError):  # noqa: N818
    """There is no room for a file; nothing of it is left behind."""

    def __init__(self) -> None:
        super().__init__(SENTENCE)
        self.errno = errno.ENOSPC


@contextmanager
def telling_when_full() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_full_disk(error):
            raise DiskFull from None
        raise


def path_of(name: str) -> Path:
    root = (settings.DATA_DIR / "files").resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise ValueError("A stored file must lie inside the vault.")
    return path


class VaultWriter(io.RawIOBase):
    """Write a file that gets its name only if the `with` block succeeds.

    Chunks of a large file are encrypted and written in a thread while the next ones arrive; errors
    are raised by the next write, or at the end. The hash of the plaintext is only computed if
    wanted.
    """

    _sealer: ThreadPoolExecutor | None = None
    _sealing: Future[None] | None = None

    def __init__(self, name: str, *, is_hashed: bool = True) -> None:
        self.name = name
        self.path = path_of(name)
        self._partial = self.path.with_name(f"{self.path.name}.{uuid4().hex}.part")
        with telling_when_full():
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            key, salt = read_or_make_key(folder_of_file(name)), os.urandom(SALT_BYTES)
            descriptor = os.open(self._partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._cipher = file_cipher(key, salt)
        self._file = os.fdopen(descriptor, "wb")
        self._file.write(MAGIC + salt + name_tag(key, salt, name))
        self._pending = bytearray()
        self._number = 0
        self._digest = hashlib.sha256() if is_hashed else None
        self.size = 0

    @property
    def sha256(self) -> str:
        """The hash of the plaintext written so far; empty if none was wanted."""
        return self._digest.hexdigest() if self._digest else ""

    def writable(self) -> bool:
        return True

    def write(self, clear: bytes | bytearray | memoryview) -> int:  # type: ignore[override]
        rest = memoryview(clear).cast("B")
        if self._digest:
            self._digest.update(rest)
        self.size += len(rest)
        while rest:
            # Keep at least one byte back: the last chunk is encrypted differently.
            if len(self._pending) == CHUNK_BYTES:
                self._hand_over()
            room = CHUNK_BYTES - len(self._pending)
            self._pending += rest[:room]
            rest = rest[room:]
        return memoryview(clear).nbytes

    def _hand_over(self) -> None:
        """Encrypt the chunk in a thread, after the one before it."""
        self._wait_for_sealing()
        if self._sealer is None:
            self._sealer = ThreadPoolExecutor(1)
        self._sealing = self._sealer.submit(self._seal_chunk, self._pending, is_last=False)
        self._pending = bytearray()

    def _wait_for_sealing(self) -> None:
        if self._sealing is not None:
            self._sealing.result()

    def _seal_chunk(self, clear: bytearray, *, is_last: bool) -> None:
        with telling_when_full():
            self._file.write(
                self._cipher.encrypt(nonce_of(self._number, is_last=is_last), clear, None)
            )
        self._number += 1

    def commit(self) -> None:
        try:
            self._wait_for_sealing()
            self._seal_chunk(self._pending, is_last=True)
            with telling_when_full():
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                self._put_in_place()
        except BaseException:
            self.abandon()
            raise
        self.close()

    def close(self) -> None:
        if self._sealer is not None:
            self._sealer.shutdown()
            self._sealer = None
        super().close()

    def _put_in_place(self) -> None:
        self._partial.replace(self.path)

    def abandon(self) -> None:
        if self._sealing is not None:
            wait([self._sealing])  # its result is not needed any more
        try:
            self._file.close()
        except OSError:
            pass  # a full disk refuses the last bytes, which are not needed any more
        finally:
            self._partial.unlink(missing_ok=True)
            if self.name == folder_of_file(self.name) and not self.path.exists():
                destroy_key(self.name)  # an aborted upload
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
    def __init__(self, name: str, *, of_before: bool) -> None:
        self._file = path_of(name).open("rb", buffering=0)
        try:
            self._layout = read_layout(self._file.fileno(), name, of_before=of_before)
        except BaseException:
            self._file.close()
            raise
        self._clear = memoryview(b"")
        self._next = 0
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Set the position; only the chunk that holds it is decrypted and verified."""
        size = self._layout.size
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: size}[whence]
        self._position = max(start + offset, 0)
        self._next, inside = self._layout.chunk_at(self._position)
        self._clear = memoryview(b"")
        if inside:
            self._open_chunk()
            self._clear = self._clear[inside:]
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._clear and self._next < self._layout.chunks:
            self._open_chunk()
        count = min(len(buffer), len(self._clear))
        buffer[:count] = self._clear[:count]
        self._clear = self._clear[count:]
        self._position += count
        return count

    def _open_chunk(self) -> None:
        place, length = self._layout.place_of(self._next)
        nonce = nonce_of(self._next, is_last=self._next == self._layout.chunks - 1)
        sealed = os.pread(self._file.fileno(), length, place)
        try:
            clear = self._layout.cipher_of(self._next).decrypt(nonce, sealed, None)
        except InvalidTag as error:
            raise DamagedFile from error
        self._clear = memoryview(clear)
        self._next += 1

    def close(self) -> None:
        self._file.close()
        super().close()


def open_reader(name: str, *, of_before: bool = False) -> BinaryIO:
    """Open a stored file for reading its plaintext from any position.

    `of_before` also accepts files that are not bound to a place; only to be used for binding them.
    """
    return io.BufferedReader(_VaultReader(name, of_before=of_before), CHUNK_BYTES)


def exists(name: str) -> bool:
    return path_of(name).is_file()


def move(name: str, new_name: str) -> None:
    """Move an upload to its final name, together with its key."""
    target = path_of(new_name)
    folder, new_folder = folder_of_file(name), folder_of_file(new_name)
    with keys_held(), telling_when_full():
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder != new_folder:
            copy_key(folder, new_folder)
        _rename(name, new_name)
        if folder != new_folder:
            destroy_key(folder)


def _rename(name: str, new_name: str) -> None:
    with path_of(name).open("r+b") as file:
        try:
            write_name(file.fileno(), read_key(folder_of_file(name)), name, new_name)
        except KeyDestroyed:
            raise DamagedFile("The key of a stored file was destroyed.") from None
    path_of(name).replace(path_of(new_name))


def delete(name: str) -> None:
    """Delete a stored file, or a folder of them with its key; fine if it is already gone."""
    path = path_of(name)
    with keys_held():
        if name == folder_of_file(name):
            destroy_key(name)
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def delete_leftovers(older_than_seconds: float) -> int:
    """Delete what a crash left: uploads that were not kept and unfinished files."""
    before = time.time() - older_than_seconds
    root = path_of("")
    unfinished = ((path, path.stat().st_mtime) for path in root.rglob("*.part"))
    leftovers = {str(path.relative_to(root)): changed for path, changed in unfinished}
    leftovers |= dict(list_folders_of(INCOMING))
    stale = [name for name, changed in leftovers.items() if changed < before]
    for name in stale:
        delete(name)
    return len(stale)


def list_folders_of(room: str) -> Iterator[tuple[str, float]]:
    """Yield every folder that has a key in a room (`datasets`, `runs`), and when it last changed.

    A folder with files but no key counts as well, and one with a key but no files.
    """
    names = {name for name in list_folders() if name.startswith(f"{room}/")}
    names |= {f"{room}/{path.name}" for path in path_of(room).glob("*")}
    for name in sorted(names):
        paths = (path_of(name), path_of(f"{KEYS}/{name}"))
        changed = next((path.stat().st_mtime for path in paths if path.exists()), None)
        if changed is not None:
            yield name, changed


def list_old_files() -> list[str]:
    """Return every file that is not bound to its name; without uploads, which end soon."""
    root = path_of("")
    found = (path for path in root.rglob("*") if path.is_file())
    names = (str(path.relative_to(root)) for path in found)
    return sorted(name for name in names if _is_stored_file(name) and _magic_of(name) in OLD_MAGICS)


def _is_stored_file(name: str) -> bool:
    elsewhere = (f"{KEYS}/", f"{INCOMING}/")
    return name != LOCK and not name.startswith(elsewhere) and not name.endswith(".part")


def is_keyless(name: str) -> bool:
    """Say whether a file is of the version without folder keys."""
    return _magic_of(name) == KEYLESS_MAGIC


def _magic_of(name: str) -> bytes:
    """Return the magic bytes of a file; none if it was deleted meanwhile."""
    try:
        with path_of(name).open("rb") as file:
            return file.read(len(MAGIC))
    except FileNotFoundError:
        return b""


def write_anew(name: str, *, of_before: bool = False) -> bool:
    """Write a file of an old format in the present one; False if it was deleted meanwhile."""
    try:
        with open_reader(name, of_before=of_before) as reader, _Rewriter(name) as writer:
            while piece := reader.read(COPY_BYTES):
                writer.write(piece)
    except FileNotFoundError:
        return False
    return True


class _Rewriter(VaultWriter):
    """A writer that replaces a file only if the file still exists when it is done."""

    def _put_in_place(self) -> None:
        with keys_held():
            seen = self.path.stat()
            os.utime(self._partial, ns=(seen.st_atime_ns, seen.st_mtime_ns))
            super()._put_in_place()
