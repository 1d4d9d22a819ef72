import errno
import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from deid_portal.vault import vault
from deid_portal.vault.chunks import CHUNK_BYTES, HEADER_BYTES, TAG_BYTES

SECRET = b"Person 1 has the flu"


def _write(name: str, content: bytes) -> None:
    with vault.VaultWriter(name) as writer:
        writer.write(content)


def _read(name: str) -> bytes:
    with vault.open_reader(name) as reader:
        return reader.read()


@pytest.mark.parametrize("size", [0, 1, 1024, CHUNK_BYTES, CHUNK_BYTES + 1, 3_000_000])
def test_what_goes_in_comes_out(size: int) -> None:
    content = os.urandom(size)
    _write("a/b", content)
    assert _read("a/b") == content


@given(pieces=st.lists(st.binary(max_size=50), max_size=10))
def test_pieces_of_any_size_join(pieces: list[bytes]) -> None:
    with vault.VaultWriter("pieces") as writer:
        for piece in pieces:
            writer.write(piece)
    assert _read("pieces") == b"".join(pieces)


@pytest.mark.parametrize("size", [0, 5, CHUNK_BYTES, 2 * CHUNK_BYTES + 5])
def test_every_place_of_a_file_can_be_gone_to(size: int) -> None:
    content = os.urandom(size)
    _write("places", content)
    places = [0, 1, size // 2, CHUNK_BYTES - 1, CHUNK_BYTES, max(size - 1, 0), size]
    with vault.open_reader("places") as reader:
        assert reader.seek(0, os.SEEK_END) == size
        for place in [*places, size + 10, *reversed(places)]:
            assert reader.seek(place) == place
            assert reader.read(7) == content[place : place + 7]
        reader.seek(0)
        assert reader.read() == content


def test_a_file_cut_after_a_chunk_is_noticed_from_its_end() -> None:
    _write("cut", os.urandom(CHUNK_BYTES + 5))
    path = vault.path_of("cut")
    whole = HEADER_BYTES + CHUNK_BYTES + TAG_BYTES
    path.write_bytes(path.read_bytes()[:whole])
    with vault.open_reader("cut") as reader, pytest.raises(vault.DamagedFile):
        reader.seek(-1, os.SEEK_END)


def test_nothing_is_readable_on_disk() -> None:
    _write("patients", SECRET * 100)
    assert b"flu" not in vault.path_of("patients").read_bytes()


def test_a_file_appears_only_when_it_is_whole() -> None:
    with pytest.raises(OSError, match="disk full"):
        _write_until_the_disk_is_full("runs/broken/rows")
    assert list(vault.path_of("runs/broken").iterdir()) == []


def _write_until_the_disk_is_full(name: str) -> None:
    with vault.VaultWriter(name) as writer:
        writer.write(SECRET)
        raise OSError("disk full")


def test_a_changed_byte_is_noticed() -> None:
    _write("file", SECRET)
    path = vault.path_of("file")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(vault.DamagedFile):
        _read("file")


def test_a_file_cut_at_a_chunk_is_noticed() -> None:
    _write("file", b"x" * (2 * CHUNK_BYTES))
    path = vault.path_of("file")
    path.write_bytes(path.read_bytes()[: -(CHUNK_BYTES + TAG_BYTES)])
    with pytest.raises(vault.DamagedFile):
        _read("file")


def test_an_old_key_still_opens(settings: Settings) -> None:
    _write("file", SECRET)
    settings.DATA_KEY_OLD = [settings.DATA_KEY]
    settings.DATA_KEY = "bmV3IGtleSwgYWxzbyB0aGlydHktdHdvIGJ5dGVzISE="
    assert _read("file") == SECRET


def test_no_name_leads_outside(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="inside the vault"):
        vault.path_of("../../etc/passwd")


def test_a_disk_that_fills_up_leaves_no_piece_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(vault.DiskFull, match="The disk of the server is full"):
        _write("runs/big/rows", SECRET)
    assert not [path for path in vault.path_of("").rglob("*") if path.is_file()]


@pytest.mark.parametrize("kept", [0, 10, HEADER_BYTES])
def test_a_file_cut_to_its_beginning_is_damaged_and_not_empty(kept: int) -> None:
    _write("file", SECRET)
    path = vault.path_of("file")
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(vault.DamagedFile):
        _read("file")


def test_a_disk_that_fills_up_while_a_chunk_is_sealed_ends_the_writing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Chunks are sealed beside the writing; what goes wrong there must not be lost."""
    writer = vault.VaultWriter("runs/full/rows")

    def is_full(sealed: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writer._file, "write", is_full, raising=False)
    with pytest.raises(vault.DiskFull), writer:
        writer.writelines(os.urandom(CHUNK_BYTES) for _ in range(5))
    assert not any(path.is_file() for path in vault.path_of("runs/full").rglob("rows*"))


def test_a_buffer_may_be_used_again_after_it_was_written() -> None:
    buffer = bytearray(CHUNK_BYTES)
    with vault.VaultWriter("reused") as writer:
        for number in range(4):
            buffer[:] = bytes([number]) * len(buffer)
            writer.write(buffer)
    assert _read("reused") == b"".join(bytes([n]) * CHUNK_BYTES for n in range(4))
    assert writer.sha256 == hashlib.sha256(_read("reused")).hexdigest()


def test_a_hash_is_made_only_where_it_is_wanted() -> None:
    with vault.VaultWriter("unhashed", is_hashed=False) as writer:
        writer.write(b"columns")
    assert (_read("unhashed"), writer.size, writer.sha256) == (b"columns", 7, "")
