"""The format of stored files: the position and the key of every chunk.

Every chunk is encrypted with its number, and the last one is marked as the last, so none can be
changed, moved, left out or added (the STREAM construction of Hoang, Reyhanitabar, Rogaway and
Vizár, 2015). No key ever encrypts two chunks with the same number: that would reveal both.

A file written at once (DPV4) has one key, derived from the key of its folder and a salt. A file
written piece by piece (DPV5) has a key per piece, because an incomplete piece is written again:

    DPV4 · salt · name tag · chunks
    DPV5 · bytes of a piece · salt · name tag · salt · chunks of piece 1 · salt · chunks of …

The key of a piece is derived from all salts up to its own, so that no piece can replace another,
not even an earlier attempt at the same piece. All pieces but the last are equally long.

The name tag binds a file to its name, so that no file of a folder can replace another. It is
computed with the folder's key and can be replaced, because an upload is renamed when it is kept;
the chunks stay as they are.

Earlier versions: files without a name tag (DPV2, DPV3) can still be read, since only an old file of
the same folder could replace them; `rotate_data_key` adds a tag. Files from before folders had keys
(DPV1) depend on the data key alone and could be copied anywhere, so only `rotate_data_key` reads
them.
"""

import hashlib
import hmac
import os
from typing import Protocol

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from deid_portal.vault.folder_keys import KeyDestroyed, folder_of_file, read_key
from deid_portal.vault.keys import KEY_NAME_BYTES, derive_key_once, find_key

MAGIC = b"DPV4"
GROWN_MAGIC = b"DPV5"
UNNAMED_MAGIC = b"DPV2"
UNNAMED_GROWN_MAGIC = b"DPV3"
KEYLESS_MAGIC = b"DPV1"
SALT_BYTES = 16
NAME_TAG_BYTES = 16
CHUNK_BYTES = 1024 * 1024
TAG_BYTES = 16
HEADER_BYTES = len(MAGIC) + SALT_BYTES + NAME_TAG_BYTES
PIECE_LENGTH_BYTES = 4
UNNAMED_GROWN_HEADER_BYTES = len(GROWN_MAGIC) + PIECE_LENGTH_BYTES
GROWN_HEADER_BYTES = UNNAMED_GROWN_HEADER_BYTES + SALT_BYTES + NAME_TAG_BYTES
# Offset of the salt of the file, by its magic bytes; the name tag follows the salt.
SALT_AT = {MAGIC: len(MAGIC), GROWN_MAGIC: UNNAMED_GROWN_HEADER_BYTES}


class DamagedFile(Exception):  # noqa: N818
    """A stored file was changed, truncated or encrypted with another key."""

    def __init__(self, sentence: str = "A stored file is damaged.") -> None:
        super().__init__(sentence)


class Layout(Protocol):
    chunks: int
    size: int  # of the content, in plaintext bytes

    def cipher_of(self, chunk: int) -> AESGCM: ...

    def place_of(self, chunk: int) -> tuple[int, int]:
        """Return the offset of a chunk in the file and its encrypted length."""

    def chunk_at(self, position: int) -> tuple[int, int]:
        """Return the chunk that holds a plaintext position, and the offset within the chunk."""


def nonce_of(chunk: int, *, is_last: bool) -> bytes:
    return chunk.to_bytes(11, "big") + (b"\x01" if is_last else b"\x00")


def file_cipher(folder_key: bytes, salt: bytes) -> AESGCM:
    return AESGCM(derive_key_once(folder_key, "vault file at its place", salt))


def name_tag(folder_key: bytes, salt: bytes, name: str) -> bytes:
    """Return the tag that binds the file with this salt, which is unique, to this name."""
    key = derive_key_once(folder_key, "vault name", b"")
    return hmac.digest(key, salt + name.encode(), "sha256")[:NAME_TAG_BYTES]


def read_layout(descriptor: int, name: str, *, of_before: bool = False) -> Layout:
    """Read the layout of an open file; raises DamagedFile if it is not a file of the vault.

    `of_before` also accepts files and keys of earlier versions, which are not bound to a place.
    """
    magic = os.pread(descriptor, len(MAGIC), 0)
    if magic == KEYLESS_MAGIC and of_before:
        return _read_keyless(descriptor)
    try:
        key = read_key(folder_of_file(name), of_before=of_before)
    except KeyDestroyed:
        raise DamagedFile("The key of a stored file was destroyed.") from None
    return _read_keyed(descriptor, magic, key, name)


def _read_keyed(descriptor: int, magic: bytes, key: bytes, name: str) -> Layout:
    if magic in SALT_AT:
        salt = check_name(descriptor, key, name)
        if magic == GROWN_MAGIC:
            return GrownFileLayout(descriptor, key, GROWN_HEADER_BYTES)
        return WholeFileLayout(descriptor, file_cipher(key, salt), HEADER_BYTES)
    if magic == UNNAMED_MAGIC:
        return _read_unnamed(descriptor, key, len(UNNAMED_MAGIC))
    if magic == UNNAMED_GROWN_MAGIC:
        return GrownFileLayout(descriptor, key, UNNAMED_GROWN_HEADER_BYTES)
    raise DamagedFile


def _read_keyless(descriptor: int) -> Layout:
    closed_by = os.pread(descriptor, KEY_NAME_BYTES, len(KEYLESS_MAGIC))
    return _read_unnamed(descriptor, find_key(closed_by), len(KEYLESS_MAGIC) + KEY_NAME_BYTES)


def _read_unnamed(descriptor: int, key: bytes, salt_at: int) -> Layout:
    salt = os.pread(descriptor, SALT_BYTES, salt_at)
    cipher = AESGCM(derive_key_once(key, "vault file", salt))
    return WholeFileLayout(descriptor, cipher, salt_at + SALT_BYTES)


def check_name(descriptor: int, folder_key: bytes, name: str) -> bytes:
    """Return the salt of a file that belongs under this name; raises DamagedFile for others."""
    salt_at = SALT_AT.get(os.pread(descriptor, len(MAGIC), 0))
    if salt_at is None:
        raise DamagedFile
    salt = os.pread(descriptor, SALT_BYTES, salt_at)
    tag = os.pread(descriptor, NAME_TAG_BYTES, salt_at + SALT_BYTES)
    if not hmac.compare_digest(tag, name_tag(folder_key, salt, name)):
        raise DamagedFile
    return salt


def write_name(descriptor: int, folder_key: bytes, name: str, new_name: str) -> None:
    """Bind an open file to a new name; a file of a version without name tags stays unbound."""
    magic = os.pread(descriptor, len(MAGIC), 0)
    if magic in SALT_AT:
        salt = check_name(descriptor, folder_key, name)
        tag = name_tag(folder_key, salt, new_name)
        os.pwrite(descriptor, tag, SALT_AT[magic] + SALT_BYTES)
        os.fsync(descriptor)


class WholeFileLayout:
    def __init__(self, descriptor: int, cipher: AESGCM, start: int) -> None:
        self._start, self._cipher = start, cipher
        sealed = os.fstat(descriptor).st_size - start
        if sealed < TAG_BYTES:
            raise DamagedFile  # even an empty file has a last chunk
        self.chunks = -(-sealed // (CHUNK_BYTES + TAG_BYTES))
        self.size = sealed - self.chunks * TAG_BYTES

    def cipher_of(self, chunk: int) -> AESGCM:
        return self._cipher

    def place_of(self, chunk: int) -> tuple[int, int]:
        return self._start + chunk * (CHUNK_BYTES + TAG_BYTES), CHUNK_BYTES + TAG_BYTES

    def chunk_at(self, position: int) -> tuple[int, int]:
        chunk = min(position // CHUNK_BYTES, self.chunks - 1)
        return chunk, position - chunk * CHUNK_BYTES


class PieceLengths:
    """Offsets in a file that is written in pieces of equal length."""

    def __init__(self, piece_bytes: int, header_bytes: int = GROWN_HEADER_BYTES) -> None:
        self.clear = piece_bytes
        self._header_bytes = header_bytes
        self.chunks = -(-piece_bytes // CHUNK_BYTES)
        self.sealed = SALT_BYTES + piece_bytes + self.chunks * TAG_BYTES

    def place_of(self, piece: int) -> int:
        return self._header_bytes + piece * self.sealed

    def beginning(self) -> bytes:
        """The first bytes of a file of such pieces."""
        return GROWN_MAGIC + self.clear.to_bytes(PIECE_LENGTH_BYTES, "big")


class KeyChain:
    """The keys of the pieces of a file, each bound to every piece before it."""

    def __init__(self, folder_key: bytes, header: bytes) -> None:
        self._folder_key = folder_key
        self._links = [hashlib.sha256(header).digest()]

    def add(self, salt: bytes) -> None:
        self._links.append(hashlib.sha256(self._links[-1] + salt).digest())

    @property
    def state(self) -> bytes:
        """A unique identifier of the file's content after the last piece."""
        return self._links[-1]

    def cipher_of(self, piece: int) -> AESGCM:
        return AESGCM(derive_key_once(self._folder_key, "vault piece", self._links[piece + 1]))


def read_chain(descriptor: int, folder_key: bytes, lengths: PieceLengths, pieces: int) -> KeyChain:
    """Read the salts of a file and of its first pieces."""
    chain = KeyChain(folder_key, os.pread(descriptor, _untagged(lengths), 0))
    for piece in range(pieces):
        chain.add(os.pread(descriptor, SALT_BYTES, lengths.place_of(piece)))
    return chain


def _untagged(lengths: PieceLengths) -> int:
    """Return the length of the header without the name tag, which may change."""
    header = lengths.place_of(0)
    return header if header == UNNAMED_GROWN_HEADER_BYTES else header - NAME_TAG_BYTES


class GrownFileLayout:
    def __init__(self, descriptor: int, folder_key: bytes, header_bytes: int) -> None:
        length = os.pread(descriptor, PIECE_LENGTH_BYTES, len(GROWN_MAGIC))
        self._lengths = PieceLengths(int.from_bytes(length, "big"), header_bytes)
        pieces, rest = divmod(os.fstat(descriptor).st_size - header_bytes, self._lengths.sealed)
        last = rest or self._lengths.sealed
        if not self._lengths.clear or last <= SALT_BYTES + TAG_BYTES or pieces + bool(rest) < 1:
            raise DamagedFile
        self._pieces = pieces + bool(rest)
        chunks_of_last = -(-(last - SALT_BYTES) // (CHUNK_BYTES + TAG_BYTES))
        self.chunks = (self._pieces - 1) * self._lengths.chunks + chunks_of_last
        before = (self._pieces - 1) * self._lengths.clear
        self.size = before + last - SALT_BYTES - chunks_of_last * TAG_BYTES
        self._chain = read_chain(descriptor, folder_key, self._lengths, self._pieces)
        self.state = self._chain.state
        self._opened = -1

    def cipher_of(self, chunk: int) -> AESGCM:
        piece = chunk // self._lengths.chunks
        if piece != self._opened:
            self._cipher, self._opened = self._chain.cipher_of(piece), piece
        return self._cipher

    def place_of(self, chunk: int) -> tuple[int, int]:
        piece, inside = divmod(chunk, self._lengths.chunks)
        begins = SALT_BYTES + inside * (CHUNK_BYTES + TAG_BYTES)
        sealed = min(CHUNK_BYTES + TAG_BYTES, self._lengths.sealed - begins)
        return self._lengths.place_of(piece) + begins, sealed

    def chunk_at(self, position: int) -> tuple[int, int]:
        piece = min(position // self._lengths.clear, self._pieces - 1)
        inside = (position - piece * self._lengths.clear) // CHUNK_BYTES
        chunk = min(piece * self._lengths.chunks + inside, self.chunks - 1)
        first_piece, first_inside = divmod(chunk, self._lengths.chunks)
        return chunk, position - first_piece * self._lengths.clear - first_inside * CHUNK_BYTES
