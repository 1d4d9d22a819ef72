"""Byte ranges of requests, so that interrupted downloads can be resumed (RFC 9110, 14)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from django.http import HttpRequest, HttpResponse

PIECE_BYTES = 256 * 1024
_ONE_RANGE = re.compile(r"bytes=\s*(\d*)-(\d*)\s*", re.ASCII)
# More digits than any file size has; longer numbers are not parsed.
_MOST_DIGITS = 18


class NotSatisfiable(Exception):  # noqa: N818
    """A range beyond the end of the file."""


@dataclass(frozen=True)
class ByteRange:
    """The bytes from `start` up to, not including, `end`."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


def part_asked_for(request: HttpRequest, etag: str, size: int) -> ByteRange | None:
    """Return the range a request asks for; None for the whole file.

    The whole file is sent if the client has another version (`If-Range`), wants several ranges or
    sends an invalid range. Raises NotSatisfiable.
    """
    asked = request.headers.get("Range", "")
    if not asked or request.headers.get("If-Range", etag) != etag:
        return None
    found = _ONE_RANGE.fullmatch(asked)
    if found is None or any(len(digits) > _MOST_DIGITS for digits in found.groups()):
        return None
    return _part(found[1], found[2], size)


def _part(first: str, last: str, size: int) -> ByteRange | None:
    if not first and not last:
        return None
    if not first:
        start, end = max(size - int(last), 0), size
    else:
        start, end = int(first), min(int(last) + 1, size) if last else size
        if last and int(last) < start:
            return None
    if start >= size or start == end:
        raise NotSatisfiable
    return ByteRange(start, end)


def refuse_range(size: int) -> HttpResponse:
    return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})


def read_part(stream: BinaryIO, part: ByteRange) -> Iterator[bytes]:
    """Yield a part of a file in pieces and close the file at the end."""
    with stream:
        stream.seek(part.start)
        left = part.length
        while left and (piece := stream.read(min(left, PIECE_BYTES))):
            left -= len(piece)
            yield piece
