"""Stored files that arrive piece by piece, in separate requests, perhaps days apart.

What must never happen: half a piece taken for a whole one, mixed pieces of two senders, two
contents encrypted with one key. So a piece is added under a lock, after truncating what a crash may
have left after the last valid piece, and is encrypted with its own key (`chunks.py`); it is valid
once the caller has recorded it, after it is on disk. With its last piece the file is complete and
read like any other: nothing has to be joined.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from deid_portal.vault.chunks import (
    CHUNK_BYTES,
    SALT_BYTES,
    DamagedFile,
    GrownFileLayout,
    PieceLengths,
    check_name,
    name_tag,
    nonce_of,
    read_chain,
    read_layout,
)
from deid_portal.vault.folder_keys import folder_of_file, read_or_make_key
from deid_portal.vault.vault import path_of, telling_when_full


class PiecesLost(Exception):  # noqa: N818
    """The pieces before the next one are missing; the file has to be sent again."""


class GrowingFile:
    def __init__(self, descriptor: int, name: str, folder_key: bytes, piece_bytes: int) -> None:
        self._file = descriptor
        self._name = name
        self._key = folder_key
        self._lengths = PieceLengths(piece_bytes)

    def add(self, start: int, clear: bytes, *, is_last: bool) -> tuple[bytes, bytes]:
        """Write a piece at its place; return the states of the file before and after it.

        It may be recorded once `make_safe` has returned. Every piece but the last has the full
        length, so `start` says which one it is.
        """
        piece, rest = divmod(start, self._lengths.clear)
        is_full = len(clear) == self._lengths.clear
        if rest or not clear or not (is_full or (is_last and len(clear) < self._lengths.clear)):
            raise ValueError("Only the last piece of a file may have another length.")
        place = self._lengths.place_of(piece) if piece else 0
        self._check_what_lies_before(place)
        with telling_when_full(), self._cutting_off_at(place):
            self._write(b"" if piece else self._header())
            return self._write_piece(piece, memoryview(clear), is_last=is_last)

    def make_safe(self) -> None:
        """Wait until everything written so far is on the disk."""
        with telling_when_full():
            os.fsync(self._file)

    @contextmanager
    def _cutting_off_at(self, place: int) -> Iterator[None]:
        """Truncate the file to a place; again if the piece written there is incomplete."""
        os.ftruncate(self._file, place)
        os.lseek(self._file, place, os.SEEK_SET)
        try:
            yield
        except BaseException:
            os.ftruncate(self._file, place)
            raise

    def _header(self) -> bytes:
        salt = os.urandom(SALT_BYTES)
        return self._lengths.beginning() + salt + name_tag(self._key, salt, self._name)

    def _check_what_lies_before(self, place: int) -> None:
        if place and not (os.fstat(self._file).st_size >= place and self._is_ours()):
            raise PiecesLost

    def _is_ours(self) -> bool:
        beginning = self._lengths.beginning()
        try:
            check_name(self._file, self._key, self._name)
        except DamagedFile:
            return False
        return os.pread(self._file, len(beginning), 0) == beginning

    def _write_piece(self, piece: int, clear: memoryview, *, is_last: bool) -> tuple[bytes, bytes]:
        chain = read_chain(self._file, self._key, self._lengths, piece)
        before, salt = chain.state, os.urandom(SALT_BYTES)
        chain.add(salt)
        cipher = chain.cipher_of(piece)
        self._write(salt)
        for inside in range(0, len(clear), CHUNK_BYTES):
            chunk = piece * self._lengths.chunks + inside // CHUNK_BYTES
            ends = is_last and inside + CHUNK_BYTES >= len(clear)
            nonce = nonce_of(chunk, is_last=ends)
            self._write(cipher.encrypt(nonce, clear[inside : inside + CHUNK_BYTES], None))
        return before, chain.state

    def _write(self, sealed: bytes) -> None:
        rest = memoryview(sealed)
        while rest:
            rest = rest[os.write(self._file, rest) :]


@contextmanager
def held_file(name: str, piece_bytes: int) -> Iterator[GrowingFile]:
    """Open a file to add pieces to it, under an exclusive lock."""
    path = path_of(name)
    with telling_when_full():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        key = read_or_make_key(folder_of_file(name))
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield GrowingFile(descriptor, name, key, piece_bytes)
    finally:
        os.close(descriptor)


def state_of(name: str) -> bytes:
    """Return the state of a complete file, after its last piece."""
    with path_of(name).open("rb") as file:
        layout = read_layout(file.fileno(), name)
    return layout.state if isinstance(layout, GrownFileLayout) else b""
