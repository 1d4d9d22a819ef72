"""A random key per folder of the vault. Destroying it makes deletion final.

What must never happen: deleted data that a copy of the disk and the data key could still decrypt.
So no stored file depends on the data key alone. Each dataset and each run has a random key of its
own, stored in `keys`, apart from its files, and encrypted with the data key. It is on disk before
the first file that needs it, and it is deleted first. Backups of `keys` can therefore be
short-lived while those of files are kept for long.

An encrypted key can be decrypted for its own folder only: the name of the folder is authenticated
with it. So nobody can replace a folder's key and files by another's. Keys of a version without that
(DPK1) are accepted only by `rotate_data_key`, which encrypts them again (`sealed_fields.py` gives
the reason).
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from cryptography.exceptions import InvalidTag
from django.conf import settings

from deid_portal.vault.keys import current_key, decrypt, encrypt, key_name

KEYS = "keys"
LOCK = "keys.lock"
MAGIC = b"DPK2"
MAGIC_OF_BEFORE = b"DPK1"
KEY_BYTES = 32
PURPOSE = "folder key at its place"
PURPOSE_OF_BEFORE = "folder key"


class KeyDestroyed(Exception):  # noqa: N818
    """There is no valid key for this folder: it was deleted, or its key file was changed."""


def folder_of_file(name: str) -> str:
    """Return the folder whose key opens a file: a dataset, a run, one upload under way."""
    return "/".join(name.split("/")[:2])


def key_path(folder: str) -> Path:
    path: Path = settings.DATA_DIR / "files" / KEYS / folder
    return path


@contextmanager
def keys_held() -> Iterator[None]:
    """Lock for destroying, copying or renewing keys and files; reading needs no lock.

    Without it, renewing could restore what another process deletes at that moment.
    """
    lock = settings.DATA_DIR / "files" / LOCK
    lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read_key(folder: str, *, of_before: bool = False) -> bytes:
    """Decrypt the key of a folder; raises KeyDestroyed if it is missing or another folder's.

    `of_before` also accepts a key that is not bound to its folder yet.
    """
    try:
        return _unwrap(key_path(folder).read_bytes(), folder, of_before=of_before)
    except (FileNotFoundError, InvalidTag):
        raise KeyDestroyed from None


def read_or_make_key(folder: str) -> bytes:
    try:
        return read_key(folder)
    except KeyDestroyed:
        path = key_path(folder)
        _create(path, _wrap(os.urandom(KEY_BYTES), folder))
        return read_key(folder)


def copy_key(folder: str, new_folder: str) -> None:
    """Copy a folder's key to a new folder, which must not have a key."""
    new = key_path(new_folder)
    if new.exists():
        raise ValueError("A folder of the vault has one key; nothing can be moved into it.")
    if key_path(folder).exists():
        _create(new, _wrap(read_key(folder), new_folder))


def destroy_key(folder: str) -> None:
    """Overwrite and delete the key of a folder; fine if it is already gone.

    Overwriting destroys the old bytes on disks that write in place; on others it does no harm.
    """
    path = key_path(folder)
    try:
        with path.open("r+b") as file:
            file.write(os.urandom(path.stat().st_size))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
        _sync_folder(path.parent)
    except FileNotFoundError:
        return


def list_folders() -> list[str]:
    """Return every folder that has a key."""
    root = key_path("")
    found = (path for path in root.rglob("*") if path.is_file() and path.suffix != ".part")
    return sorted(str(path.relative_to(root)) for path in found)


def is_wrapped_by_current(folder: str) -> bool:
    """True if the key needs no renewal; also for a folder that was deleted meanwhile."""
    try:
        wrapped = key_path(folder).read_bytes()
    except FileNotFoundError:
        return True
    return wrapped.startswith(MAGIC + key_name(current_key()))


def is_of_before(folder: str) -> bool:
    """Say whether a folder's key is not bound to it yet."""
    path = key_path(folder)
    return path.is_file() and path.read_bytes().startswith(MAGIC_OF_BEFORE)


def wrap_again(folder: str, *, of_before: bool = False) -> bool:
    """Wrap a folder's key with the current data key; False when that was not needed."""
    with keys_held():
        if is_wrapped_by_current(folder):
            return False
        path = key_path(folder)
        partial = _write_partial(path, _wrap(read_key(folder, of_before=of_before), folder))
        partial.replace(path)
        _sync_folder(path.parent)
    return True


def _wrap(key: bytes, folder: str) -> bytes:
    return MAGIC + encrypt(key, PURPOSE, folder.encode())


def _unwrap(wrapped: bytes, folder: str, *, of_before: bool) -> bytes:
    if wrapped.startswith(MAGIC):
        return decrypt(wrapped[len(MAGIC) :], PURPOSE, folder.encode())
    if of_before and wrapped.startswith(MAGIC_OF_BEFORE):
        return decrypt(wrapped[len(MAGIC_OF_BEFORE) :], PURPOSE_OF_BEFORE, None)
    raise KeyDestroyed


def _create(path: Path, content: bytes) -> None:
    """Write a key file, unless another process was first: link() never overwrites."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = _write_partial(path, content)
    try:
        os.link(partial, path)
    except FileExistsError:
        pass
    finally:
        partial.unlink()
    _sync_folder(path.parent)


def _write_partial(path: Path, content: bytes) -> Path:
    partial = path.with_name(f"{path.name}.{uuid4().hex}.part")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        partial.unlink()
        raise
    return partial


def _sync_folder(path: Path) -> None:
    """Flush directory entries, too: if a crash lost a key, its files would be lost."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
