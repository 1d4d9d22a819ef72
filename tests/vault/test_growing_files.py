"""A stored file that comes piece by piece: read as one, and nothing in it can be moved."""

import os
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from deid_portal.serving import key_rotation
from deid_portal.vault import growing_files, vault
from deid_portal.vault.chunks import CHUNK_BYTES, GROWN_HEADER_BYTES, PieceLengths
from deid_portal.vault.growing_files import PiecesLost, held_file
from tests.web.full_disk import fill_the_disk

SECRET = b"Person 1 has the flu"
NAME = "incoming/people/file"


def _grow(content: bytes, piece: int, name: str = NAME, until: int | None = None) -> None:
    for start in range(0, len(content) if until is None else until, piece):
        _add(content, start, piece, name)


def _add(content: bytes, start: int, piece: int, name: str = NAME) -> tuple[bytes, bytes]:
    clear = content[start : start + piece]
    with held_file(name, piece) as file:
        states = file.add(start, clear, is_last=start + piece >= len(content))
        file.make_safe()
    return states


def _read(name: str = NAME) -> bytes:
    with vault.open_reader(name) as reader:
        return reader.read()


@given(content=st.binary(min_size=1, max_size=60), piece=st.integers(1, 70))
def test_pieces_of_any_length_are_read_as_one_file(content: bytes, piece: int) -> None:
    _grow(content, piece)
    assert _read() == content


@pytest.mark.parametrize("piece", [CHUNK_BYTES, 2 * CHUNK_BYTES, CHUNK_BYTES + 5])
@pytest.mark.parametrize("pieces", [1, 2, 2.5])
def test_every_place_can_be_gone_to(piece: int, pieces: float) -> None:
    content = os.urandom(int(pieces * piece))
    _grow(content, piece)
    edges = [0, CHUNK_BYTES, piece, piece + CHUNK_BYTES, 2 * piece, len(content)]
    places = [max(edge + by, 0) for edge in edges for by in (-1, 0, 1)]
    with vault.open_reader(NAME) as reader:
        assert reader.seek(0, os.SEEK_END) == len(content)
        for place in [*places, len(content) + 10, *reversed(places)]:
            assert reader.seek(place) == place
            assert reader.read(7) == content[place : place + 7]
        reader.seek(0)
        assert reader.read() == content


def test_nothing_is_readable_on_disk() -> None:
    _grow(SECRET * 10, 50)
    assert b"flu" not in vault.path_of(NAME).read_bytes()


def test_a_file_cut_anywhere_does_not_open() -> None:
    _grow(SECRET, 7)
    path = vault.path_of(NAME)
    whole = path.read_bytes()
    for kept in range(len(whole)):
        path.write_bytes(whole[:kept])
        with pytest.raises(vault.DamagedFile):
            _read()


@pytest.mark.parametrize("until", [50, 100])
def test_a_file_still_growing_does_not_open(until: int) -> None:
    _grow(SECRET * 6, 50, until=until)
    with pytest.raises(vault.DamagedFile):
        _read()


def test_a_changed_byte_is_noticed_wherever_it_is() -> None:
    _grow(SECRET, 15)
    path = vault.path_of(NAME)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(bytes(b ^ (at == place) for at, b in enumerate(whole)))
        with pytest.raises(vault.DamagedFile):
            _read()
    path.write_bytes(whole)
    assert _read() == SECRET


def _pieces_of(whole: bytes, piece: int) -> list[bytes]:
    length = PieceLengths(piece).sealed
    edges = [*range(GROWN_HEADER_BYTES, len(whole), length), len(whole)]
    return [whole[a:b] for a, b in pairwise(edges)]


def test_pieces_cannot_change_places() -> None:
    _grow(SECRET * 2, 10)
    path = vault.path_of(NAME)
    whole = path.read_bytes()
    first, second, *rest = _pieces_of(whole, 10)
    path.write_bytes(whole[:GROWN_HEADER_BYTES] + second + first + b"".join(rest))
    with pytest.raises(vault.DamagedFile):
        _read()


def test_no_piece_of_an_earlier_try_fits() -> None:
    """It was sealed for the same place of the same file, and must not come back all the same."""
    path = vault.path_of(NAME)
    _grow(b"x" * 20, 10)
    earlier = _pieces_of(path.read_bytes(), 10)
    _grow(SECRET, 10)
    header, pieces = path.read_bytes()[:GROWN_HEADER_BYTES], _pieces_of(path.read_bytes(), 10)
    for mixed in ([earlier[0], pieces[1]], [pieces[0], earlier[1]]):
        path.write_bytes(header + b"".join(mixed))
        with pytest.raises(vault.DamagedFile):
            _read()


def test_a_piece_that_is_written_again_is_sealed_with_another_key() -> None:
    _grow(SECRET, 10, until=10)
    path = vault.path_of(NAME)
    first = path.read_bytes()
    _grow(SECRET, 10, until=10)
    again = path.read_bytes()
    assert len(first) == len(again)
    assert first[GROWN_HEADER_BYTES:] != again[GROWN_HEADER_BYTES:]


def test_what_a_crash_left_behind_the_last_piece_is_cut_off() -> None:
    content = SECRET * 5
    _grow(content, 30, until=60)
    with vault.path_of(NAME).open("ab") as file:
        file.write(os.urandom(300))
    for start in (60, 90):
        _add(content, start, 30)
    assert _read() == content


def test_a_disk_that_fills_up_leaves_the_pieces_before(monkeypatch: pytest.MonkeyPatch) -> None:
    content = SECRET * 5
    _grow(content, 30, until=30)
    before = vault.path_of(NAME).read_bytes()
    with monkeypatch.context() as patch:
        fill_the_disk(patch)
        with pytest.raises(vault.DiskFull):
            _add(content, 30, 30)
    assert vault.path_of(NAME).read_bytes() == before
    for start in (30, 60, 90):
        _add(content, start, 30)
    assert _read() == content


@pytest.mark.parametrize("piece", [20, 30], ids=["none before it", "others of another length"])
def test_a_piece_needs_those_before_it(piece: int) -> None:
    if piece == 30:
        _grow(SECRET * 5, 20, until=60)
    with pytest.raises(PiecesLost):
        _add(SECRET * 5, 60, piece)


@pytest.mark.parametrize(("start", "length"), [(5, 10), (0, 9), (0, 11), (0, 0)])
def test_only_the_last_piece_may_have_another_length(start: int, length: int) -> None:
    with held_file(NAME, 10) as file, pytest.raises(ValueError, match="another length"):
        file.add(start, b"x" * length, is_last=False)


def test_it_is_moved_with_its_key_and_forgotten_with_it() -> None:
    _grow(SECRET, 10)
    vault.move(NAME, "datasets/people/upload")
    assert _read("datasets/people/upload") == SECRET
    sealed = vault.path_of("datasets/people/upload").read_bytes()
    vault.delete("datasets/people")
    vault.path_of("datasets/people").mkdir(parents=True)
    vault.path_of("datasets/people/upload").write_bytes(sealed)
    with pytest.raises(vault.DamagedFile, match="destroyed"):
        _read("datasets/people/upload")


@pytest.mark.django_db
def test_it_grows_on_and_opens_after_the_data_key_was_changed(settings: Settings) -> None:
    _grow(SECRET, 10, until=10)
    settings.DATA_KEY_OLD = [settings.DATA_KEY]
    settings.DATA_KEY = "bmV3IGtleSwgYWxzbyB0aGlydHktdHdvIGJ5dGVzISE="
    assert key_rotation.rotate(lambda *_: None).keys == 1
    settings.DATA_KEY_OLD = []
    _add(SECRET, 10, 10)
    assert _read() == SECRET


def test_the_state_says_exactly_what_the_file_is() -> None:
    first = _add(SECRET, 0, 10)
    second = _add(SECRET, 10, 10)
    assert second[0] == first[1]
    assert growing_files.state_of(NAME) == second[1]
    assert _add(SECRET, 10, 10)[1] != second[1]
