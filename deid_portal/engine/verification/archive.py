"""Open an untrusted package: a zip that must be exactly as the packer writes it.

A zip has many bytes that its content does not depend on: times, flags, comments, space between
entries, duplicate names that programs resolve differently. So its headers are rebuilt from the
entries and compared byte by byte. Sizes are limited before anything is unpacked.
"""

import io
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import BinaryIO

from deid_portal.engine.errors import EngineError

MEGABYTE = 1024 * 1024
LARGEST_MB = 4096  # total unpacked size
MOST_FILES = 2100  # a table has at most 2,000 columns, each with a taxonomy
FIXED_TIME, FIXED_DAY = 0, 33  # 1 January 1980, 00:00
VERSION, STREAMED, DEFLATED, UNIX = 45, 8, 8, 3
UNKNOWN = 0xFFFFFFFF
READABLE = 0o644 << 16
SMALL = 1 << 31  # entries and offsets from this size on use the Zip64 format
LAST_BYTES = 256


class InvalidPackage(EngineError):  # noqa: N818
    """The file is not a package; the message says why."""


@dataclass(frozen=True)
class Archive:
    """The files of a package, and the faults found in its packing."""

    files: dict[str, bytes]
    problems: list[str] = field(default_factory=list)


def open_archive(stream: BinaryIO, largest_mb: int = LARGEST_MB) -> Archive:
    """Unpack into memory; raises InvalidPackage for files that are no zip or truncated."""
    try:
        archive = zipfile.ZipFile(stream)
        entries = archive.infolist()
    except Exception:  # the module raises whatever the bytes lead it to
        raise InvalidPackage(
            "This is no package: it is not a zip file, or it was cut short. Download it again."
        ) from None
    with archive:
        return _read(archive, entries, largest_mb * MEGABYTE, stream)


def _read(
    archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo], most: int, stream: BinaryIO
) -> Archive:
    problems = _check_names(entries)
    if len(entries) > MOST_FILES:
        raise InvalidPackage(f"The zip holds {len(entries):,} files; no package has so many.")
    if sum(entry.file_size for entry in entries) > most:
        raise InvalidPackage(
            f"Unpacked this would be larger than {most // MEGABYTE:,} MB; no package is, unless "
            f"--limit-mb says so."
        )
    files: dict[str, bytes] = {}
    for entry in entries:
        content = _unpack(archive, entry)
        if content is None:
            problems.append(f"{_shown(entry.filename)}: its bytes in the zip are damaged.")
        else:
            files.setdefault(entry.filename, content)
    if not problems:
        problems += check_frame(stream, entries)
    return Archive(files, problems)


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes | None:
    """Read at most the declared size of the entry; None if it is damaged."""
    try:
        with archive.open(entry) as stream:
            content = stream.read(entry.file_size + 1)
    except MemoryError:
        raise
    except Exception:  # the module raises whatever the bytes lead it to
        return None
    return content if len(content) == entry.file_size else None


def _check_names(entries: list[zipfile.ZipInfo]) -> list[str]:
    problems, seen = [], set()
    for entry in entries:
        name = entry.filename
        if name.lower() in seen:
            problems.append(f"{_shown(name)}: the zip holds this name twice.")
        seen.add(name.lower())
        if not name:
            problems.append("The zip holds a file without a name.")
        elif _leads_outside(name):
            problems.append(f"{_shown(name)}: the name leads outside the package.")
        elif entry.is_dir() or (entry.external_attr >> 16) & 0o170000 not in (0, 0o100000):
            problems.append(f"{_shown(name)}: this is no plain file.")
        if entry.flag_bits & 1:
            problems.append(f"{_shown(name)}: the file is encrypted.")
    return problems


def _leads_outside(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return name.startswith(("/", "\\")) or ".." in parts or ":" in name or "\\" in name


def _shown(name: str) -> str:
    """Replace unprintable characters of a name from outside: they could control a terminal."""
    return "".join(sign if sign.isprintable() else "?" for sign in name)[:100]


def check_frame(stream: BinaryIO, entries: list[zipfile.ZipInfo]) -> list[str]:
    """Rebuild the headers around the packed bytes and compare; returns the differences."""
    stream.seek(0, io.SEEK_END)
    size = stream.tell()
    if size >= SMALL or any(max(e.file_size, e.compress_size) >= SMALL for e in entries):
        return []  # Zip64, not rebuilt here; names, hashes and signature are still checked
    place, directory = 0, b""
    for entry in entries:
        head, tail, listed = _frame_of(entry, place)
        stream.seek(place)
        if entry.header_offset != place or stream.read(len(head)) != head:
            return [f"{_shown(entry.filename)}: what the zip says of it was changed."]
        packed = stream.read(entry.compress_size)
        if stream.read(len(tail)) != tail or not is_packed_plainly(packed):
            return [f"{_shown(entry.filename)}: what the zip says of it was changed."]
        place = stream.tell()
        directory += listed
    end = struct.pack(
        "<4s4H2LH", b"PK\5\6", 0, 0, len(entries), len(entries), len(directory), place, 0
    )
    if stream.read() != directory + end:
        return ["The list of files at the end of the zip was changed, or something was added."]
    return []


def _frame_of(entry: zipfile.ZipInfo, place: int) -> tuple[bytes, bytes, bytes]:
    """Return the local header, the data descriptor and the central directory entry."""
    name = entry.filename.encode()
    flags = STREAMED if entry.filename.isascii() else STREAMED | 0x800
    kind = (VERSION, 0, flags, DEFLATED, FIXED_TIME, FIXED_DAY)
    extra = struct.pack("<HHQQ", 1, 16, 0, 0)
    head = struct.pack("<4s2B4HL2L2H", b"PK\3\4", *kind, 0, UNKNOWN, UNKNOWN, len(name), len(extra))
    sizes = (entry.CRC, entry.compress_size, entry.file_size)
    tail = struct.pack("<LLQQ", 0x08074B50, *sizes)
    listed = struct.pack(
        "<4s4B4HL2L5H2L", b"PK\1\2", VERSION, UNIX, *kind, *sizes, len(name), 0, 0, 0, 0, READABLE,
        place,
    )  # fmt: skip
    return head + name + extra, tail, listed + name


def is_packed_plainly(packed: bytes) -> bool:
    """Say whether a deflate stream has no hidden data after its end, not even in its last bits.

    The stream may end within a byte; the packer sets the unused bits to 0.
    """
    if not packed:
        return False
    reader = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        _skip(reader, packed[:-1])
    except zlib.error:
        return False
    if reader.eof:
        return False
    endings = [last for last in range(LAST_BYTES) if _ends_with(reader, last)]
    if packed[-1] not in endings:
        return False
    ending = _what_comes(reader, packed[-1])
    return packed[-1] == min(own for own in endings if _what_comes(reader, own) == ending)


def _skip(reader: "zlib._Decompress", packed: bytes) -> None:
    reader.decompress(packed, MEGABYTE)
    while reader.unconsumed_tail:
        reader.decompress(reader.unconsumed_tail, MEGABYTE)


def _ends_with(reader: "zlib._Decompress", last: int) -> bool:
    own = reader.copy()
    try:
        own.decompress(bytes([last]))
    except zlib.error:
        return False
    return own.eof


def _what_comes(reader: "zlib._Decompress", last: int) -> bytes:
    return reader.copy().decompress(bytes([last]))
