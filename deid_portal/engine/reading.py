"""Files into tables.

Row numbers in messages count records, the column names being row 1: a line break inside quotes
does not start a new row, and blank lines are skipped and not counted. No message holds a cell.
"""

import codecs
import csv
import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv

from deid_portal.engine import kernels
from deid_portal.engine.arrow_arrays import codes_from_arrow
from deid_portal.engine.csv_format import (
    SAMPLE_BYTES,
    CsvFormat,
    Detection,
    check_is_text_table,
    detect_csv,
    sample_rows,
)
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table import Codes, Column, Table
from deid_portal.engine.values import ColumnType, infer_type

__all__ = ["CsvFormat", "Detection", "Preview", "detect_csv", "preview_csv", "read_csv"]

BLOCK_BYTES = 1 << 20
LONGEST_RECORD = 64 << 20
MOST_COLUMNS = 2000
LONGEST_NAME = 300
ARROW_RAGGED = re.compile(r"Row #(\d+): Expected (\d+) columns, got (\d+)")
ARROW_UNDECODABLE = re.compile(r"Row #(\d+): CSV conversion error.*invalid UTF8")
HEADER_ONLY = "The file has a header with column names but no rows below it."
UTF_8 = ("utf-8", "utf_8", "utf8", "utf-8-sig", "utf_8_sig")


@dataclass(frozen=True)
class Preview:
    """The first rows of a file with the types they suggest."""

    names: tuple[str, ...]
    rows: list[list[str | None]]
    types: tuple[ColumnType, ...]


def preview_csv(stream: BinaryIO, form: CsvFormat, rows: int = 8) -> Preview:
    """Read the beginning of a file; types are guessed from its first thousand rows."""
    start = stream.read(SAMPLE_BYTES)
    check_is_text_table(start)
    is_cut = len(start) >= SAMPLE_BYTES
    text = _decode_start(start, form, is_cut)
    records = sample_rows(text, form.delimiter, is_cut, form.quote)
    names = _name_columns(records[0] if records else [], form)
    body = records[1:] if form.has_header else records
    if not body:
        raise InvalidTable(HEADER_ONLY)
    for number, record in enumerate(body, start=2 if form.has_header else 1):
        _check_width(number, len(record), len(names))
    gaps = {"", *form.missing}
    cells = [[None if cell in gaps else cell for cell in record] for record in body]
    types = tuple(infer_type(column, form.decimal) for column in zip(*cells, strict=True))
    return Preview(names, cells[:rows], types)


def read_csv(
    source: BinaryIO | Path, form: CsvFormat, progress: ProgressCallback | None = None
) -> Table:
    """Read a CSV file into a table, a block at a time.

    `progress(done, total, "read", rows=…)` counts bytes; total is 0 for a stream of unknown
    length. The table remembers the SHA-256 of the file's bytes.
    """
    with _opened(source) as (stream, size):
        blocks = RecordBlocks(stream, form)
        columns: list[ColumnBuilder] = []
        steps = Progress(progress)
        first_row = 2 if form.has_header else 1
        rows = 0
        for block in blocks:
            if not columns:
                names = _name_columns(blocks.first_record, form)
                columns = [ColumnBuilder(name, form) for name in names]
            rows += _parse_block(block, form, columns, first_row + rows)
            blocks.rows_before = first_row + rows - 1
            steps.report(blocks.bytes_read, size, "read", rows=rows)
        if not rows:
            _name_columns(blocks.first_record, form)
            raise InvalidTable(HEADER_ONLY)
        return Table(tuple(column.build() for column in columns), blocks.sha256)


class RecordBlocks:
    """The bytes of a file as UTF-8, in blocks that end where a record ends.

    The column names, if the file has them, are taken off the first block.
    """

    def __init__(self, stream: BinaryIO, form: CsvFormat) -> None:
        self.first_record: list[str] = []
        self.bytes_read = 0
        self.rows_before = 0  # rows in the blocks handed out so far, the names included
        self._stream = stream
        self._form = form
        self._digest = hashlib.sha256()
        self._decoder = (
            None
            if form.encoding.lower() in UTF_8
            else codecs.getincrementaldecoder(form.encoding)()
        )

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest()

    def __iter__(self) -> Iterator[bytes]:
        rest = b""
        started = False
        while chunk := self._read():
            block, rest = self._cut(rest + chunk)
            if block and not started:
                block, started = self._take_first_record(block), True
            if block:
                yield block
        if rest and not started:
            rest = self._take_first_record(rest)
        if rest:
            self._check_quotes_closed(rest)
            yield rest

    def _read(self) -> bytes:
        """Return the next bytes as UTF-8; nothing at the end of the file."""
        text, is_start = b"", not self.bytes_read
        while not text:
            chunk = self._stream.read(BLOCK_BYTES)
            if not self.bytes_read:
                check_is_text_table(chunk)
            self._digest.update(chunk)
            text = self._to_utf8(chunk)
            self.bytes_read += len(chunk)
            if not chunk:
                break
        return text.removeprefix(codecs.BOM_UTF8) if is_start else text

    def _to_utf8(self, chunk: bytes) -> bytes:
        if self._decoder is None:
            return chunk
        try:
            return self._decoder.decode(chunk, final=not chunk).encode()
        except UnicodeError as error:
            start = getattr(error, "start", 0)  # UTF-16 without its mark names no position
            raise _wrong_encoding(self._form, self.bytes_read + start) from None

    def _cut(self, text: bytes) -> tuple[bytes, bytes]:
        """Split after the last complete record; refuse NULs and endless records."""
        nul = text.find(b"\0")
        if nul >= 0:
            before, _, _ = _scan(text[:nul], self._form)
            raise InvalidTable(_nul(self.rows_before + before + 1))
        if self._form.quote.encode() in text:
            _, end, _ = _scan(text, self._form)
        else:
            end = max(text.rfind(b"\n"), text.rfind(b"\r", 0, -1)) + 1
        if not end and len(text) > LONGEST_RECORD:
            raise self._unclosed()
        return text[:end], text[end:]

    def _take_first_record(self, block: bytes) -> bytes:
        """Keep the first record for names and width; return the block without column names."""
        lines = _CountedLines(block.decode("utf-8", "surrogateescape"))
        form = self._form
        reader = csv.reader(lines, delimiter=form.delimiter, quotechar=form.quote)
        try:
            self.first_record = next((record for record in reader if record), [])
        except csv.Error:
            raise self._unclosed() from None
        if any("\udc80" <= sign <= "\udcff" for name in self.first_record for sign in name):
            raise InvalidTable(_not_utf8(1))
        if not form.has_header:
            return block
        self.rows_before = 1
        return lines.rest().encode("utf-8", "surrogateescape")

    def _check_quotes_closed(self, rest: bytes) -> None:
        records, _, is_open = _scan(rest, self._form)
        if is_open:
            self.rows_before += records
            raise self._unclosed()

    def _unclosed(self) -> InvalidTable:
        return InvalidTable(
            f"Row {self.rows_before + 1} opens a quote that is never closed; mend the file or "
            f"choose another quote sign."
        )


class ColumnBuilder:
    """One column while it is being read: its dictionary so far and its codes so far."""

    def __init__(self, name: str, form: CsvFormat) -> None:
        self._name = name
        self._decimal = form.decimal
        self._gaps = {"", *form.missing}
        self._dictionary: dict[str | None, int] = {}
        self._codes: list[Codes] = []

    def add(self, chunk: "pa.DictionaryArray") -> None:
        texts = chunk.dictionary.to_pylist()
        known = self._dictionary
        numbers = np.array(
            [known.setdefault(None if text in self._gaps else text, len(known)) for text in texts],
            dtype=np.int32,
        )
        self._codes.append(numbers[codes_from_arrow(chunk.indices)])

    def build(self) -> Column:
        codes = np.concatenate(self._codes)
        self._codes = []
        values = tuple(self._dictionary)
        type = infer_type(values, self._decimal)
        return Column(self._name, type, codes, values, self._decimal)


class _CountedLines:
    """Hands out lines and remembers where it stopped."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = iter(io.StringIO(text, newline=""))
        self._given = 0

    def __iter__(self) -> "_CountedLines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._given += len(line)
        return line

    def rest(self) -> str:
        return self._text[self._given :]


def _decode_start(start: bytes, form: CsvFormat, is_cut: bool) -> str:
    decoder = codecs.getincrementaldecoder(form.encoding)()
    try:
        text = decoder.decode(start, final=not is_cut).removeprefix("\ufeff")
    except UnicodeError as error:
        position = getattr(error, "start", 0)  # UTF-16 without its mark names no position
        if form.encoding.lower() not in UTF_8:
            raise _wrong_encoding(form, position) from None
        raise InvalidTable(_not_utf8(_scan(start[:position], form)[0] + 1)) from None
    if "\0" in text:
        before, _, _ = _scan(text[: text.index("\0")].encode(), form)
        raise InvalidTable(_nul(before + 1))
    return text


def _scan(text: bytes, form: CsvFormat) -> tuple[int, int, bool]:
    """Return how many records end in the text, where the last ends, and if a quote is open."""
    array = np.frombuffer(text, np.uint8)
    return kernels.scan_records(array, ord(form.delimiter), ord(form.quote))


def _parse_block(
    block: bytes, form: CsvFormat, columns: Sequence[ColumnBuilder], first_row: int
) -> int:
    """Add the records of a block to the columns; return how many there were."""
    labels = [str(index) for index in range(len(columns))]
    text = pa.dictionary(pa.int32(), pa.string())
    try:
        batch = pa.csv.read_csv(
            pa.BufferReader(block),
            pa.csv.ReadOptions(column_names=labels, use_threads=False, block_size=len(block) + 1),
            pa.csv.ParseOptions(
                delimiter=form.delimiter,
                quote_char=form.quote,
                newlines_in_values=True,
                # In a table of one column a blank line is a record with a gap.
                ignore_empty_lines=len(columns) > 1,
            ),
            pa.csv.ConvertOptions(
                column_types=dict.fromkeys(labels, text), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        raise _explain(str(error), first_row) from None
    for column, arrays in zip(columns, batch.columns, strict=True):
        for chunk in arrays.chunks:
            column.add(chunk)
    return int(batch.num_rows)


def _explain(message: str, first_row: int) -> InvalidTable:
    """Say in our words what Arrow found; its own words quote the row."""
    if ragged := ARROW_RAGGED.search(message):
        number, expected, found = (int(part) for part in ragged.groups())
        return InvalidTable(_ragged(first_row + number - 1, found, expected))
    if broken := ARROW_UNDECODABLE.search(message):
        return InvalidTable(_not_utf8(first_row + int(broken.group(1)) - 1))
    return InvalidTable(
        "The file cannot be read as CSV with these settings; check the delimiter and quote sign."
    )


def _name_columns(record: Sequence[str], form: CsvFormat) -> tuple[str, ...]:
    """Return the column names, or numbered ones for a file that has none."""
    if not record:
        raise InvalidTable("The file is empty. Choose a file with column names and rows.")
    if len(record) > MOST_COLUMNS:
        raise InvalidTable(
            f"The file has {len(record)} columns; at most {MOST_COLUMNS} can be read."
        )
    if not form.has_header:
        return tuple(f"column {number}" for number in range(1, len(record) + 1))
    seen: dict[str, int] = {}
    for number, name in enumerate(record, start=1):
        if not name.strip():
            raise InvalidTable(f"Column {number} has no name; give every column one in row 1.")
        if len(name) > LONGEST_NAME:
            raise InvalidTable(
                f"The name of column {number} has {len(name)} characters; at most {LONGEST_NAME} "
                f"are accepted. Is row 1 really the column names?"
            )
        if name in seen:
            raise InvalidTable(
                f"Columns {seen[name]} and {number} have the same name; rename one in row 1."
            )
        seen[name] = number
    return tuple(record)


def _check_width(row: int, found: int, expected: int) -> None:
    if found != expected:
        raise InvalidTable(_ragged(row, found, expected))


def _ragged(row: int, found: int, expected: int) -> str:
    return f"Row {row} has {found} cells where {expected} are expected."


def _nul(row: int) -> str:
    return f"Row {row} holds a NUL byte, so this is not a text file in the chosen encoding."


def _not_utf8(row: int) -> str:
    return f"Row {row} holds a character that is not UTF-8; choose Windows-1252 or Latin-1."


def _wrong_encoding(form: CsvFormat, position: int) -> InvalidTable:
    return InvalidTable(
        f"The file is not in the encoding {form.encoding}: byte {position + 1} does not fit; "
        f"choose another, such as UTF-8 or Windows-1252."
    )


@contextmanager
def _opened(source: BinaryIO | Path) -> Iterator[tuple[BinaryIO, int]]:
    """Give a stream and its length, 0 if unknown; a stream of the caller stays open."""
    if isinstance(source, Path):
        try:
            size = source.stat().st_size
            stream = source.open("rb")
        except OSError:
            raise InvalidTable(f'There is no readable file "{source.name}".') from None
        with stream:
            yield stream, size
    else:
        yield source, _length(source)


def _length(stream: BinaryIO) -> int:
    try:
        here = stream.tell()
        end = stream.seek(0, io.SEEK_END)
        stream.seek(here)
    except (OSError, ValueError, AttributeError):
        return 0
    return end - here
