"""Read back a workbook that `writer.py` wrote, and nothing else.

A general reader parses every cell, which takes minutes for a million rows, and must refuse files
that unpack to a hundred times their size, as a table of few distinct values does. Here the format
is known exactly, so equal cells are parsed once, and any other content (a formula, a second sheet,
another style) is refused.
"""

import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import IO, Any, BinaryIO
from xml.sax.saxutils import unescape

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.library_errors import told_in_a_sentence
from deid_portal.engine.files.writer import (
    DAY_ZERO,
    MOST_ROWS_OF_A_SHEET,
    SHEET_END,
    SHEET_NAME,
    SHEET_START,
    WORKBOOK_PARTS,
    XML_HEAD,
)
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.cell_text import write_cell
from deid_portal.engine.table.table import Codes, Column, Table
from deid_portal.engine.table.values import infer_type

BLOCK_BYTES = 4 << 20
LONGEST_ROW = 256 << 20  # of text without an end of a row
NOT_OURS = "The workbook is not as the portal writes them."
ROW, END_OF_ROW, CELL = b"<row>", b"</row>", b"<c"
TEXT = re.compile(
    r' t="inlineStr"(?: s="2")?><is><t xml:space="preserve">([^<]*)</t></is></c>\Z', re.DOTALL
)
NUMBER = re.compile(r"><v>(-?[0-9.e+-]+)</v></c>\Z", re.ASCII)
DAY = re.compile(r' s="1"><v>([0-9]{1,7})</v></c>\Z', re.ASCII)
TRUTHS = {' t="b"><v>1</v></c>': "TRUE", ' t="b"><v>0</v></c>': "FALSE"}


class _Numbered(dict[bytes, int]):
    """The cells of a column, numbered as they come."""

    def __missing__(self, cell: bytes) -> int:
        self[cell] = number = len(self)
        return number


def read_own_workbook(stream: BinaryIO, progress: ProgressCallback | None = None) -> Table:
    """Read a table that `write_table` wrote as a workbook; raises InvalidTable for any other."""
    with told_in_a_sentence(NOT_OURS):
        archive = zipfile.ZipFile(stream)
        _check_parts(archive)
        sheet = archive.open(SHEET_NAME)
    with archive, sheet:
        return _read_sheet(_rows_of(partial(_read_some, sheet)), Progress(progress))


def _read_some(sheet: IO[bytes], count: int) -> bytes:
    with told_in_a_sentence(NOT_OURS):
        return sheet.read(count)


def _check_parts(archive: zipfile.ZipFile) -> None:
    if archive.namelist() != [*WORKBOOK_PARTS, SHEET_NAME]:
        raise InvalidTable(NOT_OURS)
    for name, content in WORKBOOK_PARTS.items():
        expected = f"{XML_HEAD}{content}".encode()
        with archive.open(name) as part:
            if part.read(len(expected) + 1) != expected:
                raise InvalidTable(NOT_OURS)


def _rows_of(read: Callable[[int], bytes]) -> Iterator[list[bytes]]:
    """Yield the rows of a sheet, some at a time, without their tags."""
    start = f"{XML_HEAD}{SHEET_START}".encode()
    if read(len(start)) != start:
        raise InvalidTable(NOT_OURS)
    rest = b""
    while block := read(BLOCK_BYTES):
        *rows, rest = (rest + block).split(END_OF_ROW)
        if len(rest) > LONGEST_ROW or not all(row.startswith(ROW) for row in rows):
            raise InvalidTable(NOT_OURS)
        if rows:
            yield [row[len(ROW) :] for row in rows]
    if rest != SHEET_END.encode():
        raise InvalidTable(NOT_OURS)


def _read_sheet(blocks: Iterator[list[bytes]], steps: Progress) -> Table:
    names: list[str] = []
    cells: list[_Numbered] = []
    codes: list[list[Codes]] = []
    read = 0
    for rows in blocks:
        if not names:
            head, *rows = rows
            names = [_read_cell(cell) or "" for cell in _split([head])]
            cells, codes = [_Numbered() for _ in names], [[] for _ in names]
        read += len(rows)
        steps.report(read, read, "read")
        flat = _split(rows)
        if len(flat) != len(rows) * len(names) or read > MOST_ROWS_OF_A_SHEET:
            raise InvalidTable(NOT_OURS)
        for place, (known, own) in enumerate(zip(cells, codes, strict=True)):
            numbers = map(known.__getitem__, flat[place :: len(names)])
            own.append(np.fromiter(numbers, np.int32, len(rows)))
    columns = zip(names, cells, codes, strict=True)
    return Table(tuple(_column(name, known, own) for name, known, own in columns))


def _split(rows: list[bytes]) -> list[bytes]:
    """Return the cells of some rows; a text cannot hold the sign a cell begins with."""
    found = []
    for row in rows:
        before, *own = row.split(CELL)
        if before:
            raise InvalidTable(NOT_OURS)
        found += own
    return found


def _column(name: str, known: _Numbered, codes: list[Codes]) -> Column:
    values = tuple(_read_cell(cell) for cell in known)
    if len(set(values)) < len(values):
        raise InvalidTable(NOT_OURS)
    return Column(name, infer_type(values), np.concatenate(codes), values)


def _read_cell(cell: bytes) -> str | None:
    try:
        return _read_text(cell.decode())
    except (ValueError, OverflowError):  # no UTF-8, no number, or a day that no calendar has
        raise InvalidTable(NOT_OURS) from None


def _read_text(text: str) -> str | None:
    if text == "/>":
        return None
    if text in TRUTHS:
        return TRUTHS[text]
    if found := TEXT.match(text):
        return unescape(found[1])
    value: Any = None
    if found := DAY.match(text):
        value = DAY_ZERO + timedelta(days=int(found[1]))
    elif found := NUMBER.match(text):
        value = float(found[1])
    if value is None:
        raise InvalidTable(NOT_OURS)
    return write_cell(value)
