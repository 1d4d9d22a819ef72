"""Damages sound files, deterministically by a number.

In compressed files (gzip, zip) the content is damaged as often as the container; otherwise the
checksums of the container would catch nearly everything before the reader sees it.
"""

import gzip
import io
import random
import zipfile
from collections.abc import Callable, Sequence

Mutation = Callable[[random.Random, bytearray], None]

MOST_CHANGES = 6
LONGEST_PIECE = 64
MOST_BYTES = 1 << 20  # of a damaged file
# Numbers at which counters, lengths and offsets turn over.
EDGES = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, (1 << 63) - 1)
# What means something to one reader or another.
WORDS = (
    b"\0", b"\r", b"\n", b'"', b"'", b",", b";", b"\t", b"<", b">", b"&", b"]]>", b"<!--", b"{",
    b"[", b"null", b"true", b"NaN", b"Infinity", b"-1", b"1e400", b"0x10", b"9" * 400,
    b"1970-01-01", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\0\0", b"\xed\xa0\x80",
    b"\xc3", b"\xf4\x90\x80\x80", b"\xe2\x80\xa8", b"\x1a", b"\x7f", b"\x85", "ſ".encode(),
    "٣".encode(), "²".encode(), b"#", b"%", b"=1+1", b'<!DOCTYPE a [<!ENTITY b "c">]>', b"&b;",
    b"PK\x03\x04", b"PAR1",
)  # fmt: skip


def damaged(seeds: Sequence[bytes], number: int) -> bytes:
    """Return damaged file `number`; the first are the seeds themselves."""
    if number < len(seeds):
        return seeds[number]
    chance = random.Random(number)
    return _damage(chance, chance.choice(seeds), seeds)[:MOST_BYTES]


def _damage(chance: random.Random, content: bytes, seeds: Sequence[bytes]) -> bytes:
    if content.startswith(b"PK\x03\x04") and chance.random() < 0.8:
        return _damage_zip(chance, content)
    if content.startswith(b"\x1f\x8b") and chance.random() < 0.6:
        return gzip.compress(_change(chance, gzip.decompress(content), seeds), 1, mtime=0)
    return _change(chance, content, seeds)


def _damage_zip(chance: random.Random, content: bytes) -> bytes:
    """Damage one or two parts and pack them again as they were."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = [(entry, archive.read(entry)) for entry in archive.infolist()]
    chosen = {chance.randrange(len(parts)) for _ in range(2)}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, (entry, part) in enumerate(parts):
            if place in chosen and chance.random() < 0.1:
                continue
            archive.writestr(entry, _change(chance, part, [part]) if place in chosen else part)
    return stream.getvalue()


def _change(chance: random.Random, content: bytes, seeds: Sequence[bytes]) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randint(1, MOST_CHANGES)):
        if chance.random() < 0.05:
            _splice(chance, changed, chance.choice(seeds))
        else:
            chance.choice(MUTATIONS)(chance, changed)
    return bytes(changed)


def _place(chance: random.Random, content: bytearray) -> int:
    """Return a place in the file; its ends, where formats keep what describes them, come often."""
    if chance.random() < 0.3:
        return min(chance.randrange(512), len(content))
    if chance.random() < 0.2:
        return max(len(content) - chance.randrange(512), 0)
    return chance.randint(0, len(content))


def _flip_bit(chance: random.Random, content: bytearray) -> None:
    if content:
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def _set_byte(chance: random.Random, content: bytearray) -> None:
    place = _place(chance, content)
    content[place : place + 1] = bytes([chance.randrange(256)])


def _set_number(chance: random.Random, content: bytearray) -> None:
    """Overwrite what may be a length, a count or an offset."""
    size, order = chance.choice((1, 2, 4, 8)), chance.choice(("little", "big"))
    value = (chance.choice(EDGES) + chance.randint(-1, 1)) % (1 << 8 * size)
    place = _place(chance, content)
    content[place : place + size] = value.to_bytes(size, order)  # type: ignore[arg-type]


def _cut(chance: random.Random, content: bytearray) -> None:
    if chance.random() < 0.3:
        del content[_place(chance, content) :]


def _delete(chance: random.Random, content: bytearray) -> None:
    place = _place(chance, content)
    del content[place : place + chance.randint(1, LONGEST_PIECE)]


def _repeat(chance: random.Random, content: bytearray) -> None:
    place = _place(chance, content)
    piece = content[place : place + chance.randint(1, LONGEST_PIECE)]
    content[place:place] = piece * chance.choice((1, 2, 10, 200))


def _insert_word(chance: random.Random, content: bytearray) -> None:
    place, word = _place(chance, content), chance.choice(WORDS)
    content[place : place + chance.choice((0, len(word)))] = word


def _insert_noise(chance: random.Random, content: bytearray) -> None:
    place = _place(chance, content)
    content[place:place] = chance.randbytes(chance.randint(1, LONGEST_PIECE))


def _splice(chance: random.Random, content: bytearray, other: bytes) -> None:
    """Go on with the end of another file."""
    content[_place(chance, content) :] = other[_place(chance, bytearray(other)) :]


MUTATIONS: tuple[Mutation, ...] = (
    _flip_bit,
    _set_byte,
    _set_number,
    _set_number,
    _cut,
    _delete,
    _repeat,
    _insert_word,
    _insert_noise,
)
