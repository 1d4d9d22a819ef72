"""Tables into CSV files."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from deid_portal.engine.files.csv import kernels
from deid_portal.engine.table.table import Column, Table, row_chunks
from deid_portal.engine.table.values import infer_type, is_number

# A spreadsheet runs a cell that begins with one of these as a formula (OWASP, CSV injection): also
# their wide forms, which some read as the narrow ones, and behind blanks, which some cut off.
FORMULA = re.compile(r"[\t\r\n]|[\s\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]")

COMMA = ","


def write_csv(table: Table, stream: BinaryIO, delimiter: str = COMMA) -> None:
    """Write UTF-8 with a header and LF line ends; a gap is an empty cell.

    A cell a spreadsheet would run as a formula gets an apostrophe in front, unless it is a plain
    number. In a table of one column a gap is written as quotes, since a blank line is no record.
    """
    header = delimiter.join(_escape(name, delimiter) for name in table.names)
    stream.write(f"{header}\n".encode())
    gap = '""' if len(table.columns) == 1 else ""
    endings = [delimiter] * (len(table.columns) - 1) + ["\n"]
    written = [
        [
            gap + ending if t is None else _escape(t, delimiter, column.decimal) + ending
            for t in column.values
        ]
        for column, ending in zip(table.columns, endings, strict=True)
    ]
    for block in join_rows(table, written):
        stream.write(block)


def join_rows(table: Table, written: Sequence[Sequence[str]]) -> Iterator[bytes]:
    """Give the rows as UTF-8, in blocks; `written` has, per column, the text of every code."""
    texts = [text.encode() for column in written for text in column]
    offsets = np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
    entries = np.cumsum([0, *(len(column) for column in written)], dtype=np.int64)
    joined = np.frombuffer(bytearray().join(texts), np.uint8)
    for chunk in row_chunks(table.rows):
        cells = np.array([column.codes[chunk] for column in table.columns], np.int32)
        yield kernels.join_cells(cells, entries[:-1], offsets, joined).tobytes()


def neutralize(text: str, decimal: str = ".") -> str:
    """Return the text so that no spreadsheet runs it."""
    if FORMULA.match(text) and not is_number(text, decimal):
        return f"'{text}"
    return text


def undo_neutralizing(table: Table) -> Table:
    """Return the table that was written, from its CSV: without the apostrophes added on writing.

    A column that holds a text both with and without an apostrophe stays as it is.
    """
    return replace(table, columns=tuple(_undo(column) for column in table.columns))


def _undo(column: Column) -> Column:
    values = tuple(None if text is None else _bare(text, column.decimal) for text in column.values)
    if values == column.values or len(set(values)) < len(values):
        return column
    return Column(
        column.name, infer_type(values, column.decimal), column.codes, values, column.decimal
    )


def _bare(text: str, decimal: str) -> str:
    return text[1:] if text[:1] == "'" and neutralize(text[1:], decimal) == text else text


def _escape(text: str, delimiter: str, decimal: str = ".") -> str:
    text = neutralize(text, decimal)
    if not text or any(sign in text for sign in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
