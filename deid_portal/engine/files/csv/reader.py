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
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from deid_portal.engine.compiled.cores import open_pool, usable_cores
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv import kernels
from deid_portal.engine.files.csv.encoding import (
    NOT_UTF_8,
    OPEN_QUOTE,
    Block,
    BrokenRecord,
    ColumnBuilder,
    encode_blocks,
    ragged,
)
from deid_portal.engine.files.csv.format import (
    SAMPLE_BYTES,
    SAMPLE_ROWS,
    UTF_8,
    CsvFormat,
    Detection,
    check_is_text_table,
    detect_csv,
    split_sample_rows,
)
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.table import Table
from deid_portal.engine.table.values import ColumnType, infer_type

__all__ = ["CsvFormat", "Detection", "Preview", "detect_csv", "preview_csv", "read_csv"]

BLOCK_BYTES = 1 << 20
WORTH_THREADS = 16 << 20
LONGEST_RECORD = 64 << 20
MOST_COLUMNS = 2000
MOST_ROWS = 100_000_000  # a few bytes of a packed file can hold any number
LONGEST_NAME = 300
NUL = "holds a NUL byte, so this is not a text file in the chosen encoding."
LONGEST_CELL = 100_000
LONG_CELL = (
    f"holds a cell of more than {LONGEST_CELL:,} characters; shorten it, leave the column out, or "
    f"choose another delimiter."
)
WESTERN = ("cp1252", "latin-1", "iso-8859-1", "iso-8859-15")
# A non-ASCII letter in UTF-8; read as a Western encoding it looks like Ã©.
UTF_8_LETTER = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
HEADER_ONLY = "The file has a header with column names but no rows below it."


@dataclass(frozen=True)
class Preview:
    """The first rows of a file with the types they suggest."""

    names: tuple[str, ...]
    rows: list[list[str | None]]
    types: tuple[ColumnType, ...]
    notes: tuple[str, ...] = ()


def preview_csv(stream: BinaryIO, form: CsvFormat, rows: int = 8) -> Preview:
    """Read the beginning of a file; types are guessed from its first thousand rows."""
    start = stream.read(SAMPLE_BYTES)
    check_is_text_table(start)
    is_cut = len(start) >= SAMPLE_BYTES
    text = _decode_start(start, form, is_cut)
    records = split_sample_rows(text, form.delimiter, is_cut, form.quote)
    _check_all_read(text, form, is_cut, len(records))
    names = _name_columns(records[0] if records else [], form)
    body = records[1:] if form.has_header else records
    if not body:
        raise InvalidTable(HEADER_ONLY)
    for number, record in enumerate(body, start=2 if form.has_header else 1):
        _check_width(number, len(record), len(names))
    gaps = {"", *form.missing}
    cells = [[None if cell in gaps else cell for cell in record] for record in body]
    distinct = (tuple(dict.fromkeys(column)) for column in zip(*cells, strict=True))
    types = tuple(infer_type(values, form.decimal) for values in distinct)
    return Preview(names, cells[:rows], types, _notes(start, form))


def _notes(start: bytes, form: CsvFormat) -> tuple[str, ...]:
    """Note that some rows seem to be in another encoding than the rest."""
    if form.encoding.lower() not in WESTERN:
        return ()
    first = UTF_8_LETTER.search(start)
    if first is None or UTF_8_LETTER.sub(b"", start).isascii():
        return ()
    row = _scan(start[: first.start()], form)[0] + 1
    return (
        f"The file mixes two encodings: row {row} is written in UTF-8, others are not, so some "
        f"letters look wrong whichever is chosen. Save the whole file in one and upload it again.",
    )


def read_csv(
    source: BinaryIO | Path,
    form: CsvFormat,
    progress: ProgressCallback | None = None,
    threads: int | None = None,
    is_hashed: bool = True,
) -> Table:
    """Read a CSV file into a table, a block at a time.

    `progress(done, total, "read", rows=…)` counts bytes; total is 0 for a stream of unknown
    length. The table remembers the SHA-256 of the file's bytes, unless it need not. A large file is
    read in as many threads as there are cores, unless told otherwise; the table is the same.
    """
    with _opened(source) as (stream, size), open_pool(_how_many(threads, size)) as pool:
        blocks = RecordBlocks(stream, form, is_hashed)
        steps = Progress(progress)
        rows = 0
        try:
            parts = iter(blocks)
            first = next(parts, b"")
            names = _name_columns(blocks.first_record, form)
            columns = [ColumnBuilder(place, form, size) for place in range(len(names))]
            for rows in encode_blocks(chain([first], parts), columns, form, pool):
                check_row_count(rows)
                steps.report(blocks.bytes_read, size, "read", rows=rows)
        except BrokenRecord as broken:
            raise InvalidTable(broken.sentence(2 if form.has_header else 1)) from None
        if not rows:
            raise InvalidTable(HEADER_ONLY)
        return Table(tuple(pool.map(ColumnBuilder.build, columns, names)), blocks.sha256)


class RecordBlocks:
    """The bytes of a file as UTF-8, in blocks that end where a record ends.

    The column names, if the file has them, are taken off the first block.
    """

    def __init__(self, stream: BinaryIO, form: CsvFormat, is_hashed: bool = True) -> None:
        self.first_record: list[str] = []
        self.bytes_read = 0
        self._is_started = False
        self._stream = stream
        self._form = form
        self._digest = hashlib.sha256() if is_hashed else None
        self._decoder = (
            None
            if form.encoding.lower() in UTF_8
            else codecs.getincrementaldecoder(form.encoding)()
        )

    @property
    def sha256(self) -> str:
        return self._digest.hexdigest() if self._digest else ""

    def __iter__(self) -> Iterator[Block]:
        rest = b""
        while chunk := self._read():
            block, rest = self._cut(rest + chunk)
            if block and not self._is_started:
                block = self._take_first_record(bytes(block))
            if block:
                yield block
        if rest and not self._is_started:
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
            if self._digest:
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

    def _cut(self, text: bytes) -> tuple[Block, bytes]:
        """Split after the last complete record; refuse NULs and endless records."""
        nul = text.find(b"\0")
        if nul >= 0:
            raise self._broken(self._scan(text[:nul])[0], NUL)
        if self._form.quote.encode() in text:
            _, end, _ = self._scan(text)
        else:
            # Only after the last line feed, since most files have no carriage returns.
            feed = text.rfind(b"\n")
            end = max(feed, text.rfind(b"\r", feed + 1, -1)) + 1
        if not end and len(text) > LONGEST_RECORD:
            raise self._broken(0, OPEN_QUOTE)
        return memoryview(text)[:end], text[end:]

    def _take_first_record(self, block: bytes) -> bytes:
        """Keep the first record for names and width; return the block without column names."""
        lines = _CountedLines(block.decode("utf-8", "surrogateescape"))
        form = self._form
        reader = csv.reader(lines, delimiter=form.delimiter, quotechar=form.quote)
        try:
            self.first_record = next((record for record in reader if record), [])
        except csv.Error:
            raise self._broken(0, OPEN_QUOTE) from None
        if any("\udc80" <= sign <= "\udcff" for name in self.first_record for sign in name):
            raise self._broken(0, NOT_UTF_8)
        self._is_started = True
        return lines.rest().encode("utf-8", "surrogateescape") if form.has_header else block

    def _check_quotes_closed(self, rest: bytes) -> None:
        records, _, is_open = self._scan(rest)
        if is_open:
            raise self._broken(records, OPEN_QUOTE)

    def _scan(self, text: bytes) -> tuple[int, int, bool]:
        return _scan(text, self._form, len(self.first_record) == 1)

    def _broken(self, records_before: int, what: str) -> BrokenRecord:
        """Return the error counted from the first row below the names, removed or not."""
        names = self._form.has_header and not self._is_started
        return BrokenRecord(records_before - names, what)


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
        row = _scan(start[:position], form)[0] + 1
        raise InvalidTable(f"Row {row} {NOT_UTF_8}") from None
    if "\0" in text:
        row = _scan(text[: text.index("\0")].encode(), form)[0] + 1
        raise InvalidTable(f"Row {row} {NUL}")
    return text


def _check_all_read(text: str, form: CsvFormat, is_cut: bool, found: int) -> None:
    """Refuse a beginning that ends within quotes, or in a cell that is too long."""
    content = text.encode()
    records, end, is_open = _scan(content, form)
    is_long = _longest_cell(content[end:].decode(), form) > LONGEST_CELL
    if is_open and (is_long or not is_cut):
        raise InvalidTable(f"Row {records + 1} {OPEN_QUOTE}")
    if is_long or found < min(records, SAMPLE_ROWS):
        raise InvalidTable(f"Row {found + 1} {LONG_CELL}")


def _longest_cell(text: str, form: CsvFormat) -> float:
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=form.delimiter, quotechar=form.quote
    )
    try:
        return max((len(cell) for record in reader for cell in record), default=0)
    except csv.Error:  # a cell longer than the module takes
        return float("inf")


def _scan(text: bytes, form: CsvFormat, count_blank: bool = False) -> tuple[int, int, bool]:
    """Return how many records end in the text, where the last ends, and if a quote is open."""
    array = np.frombuffer(text, np.uint8)
    return kernels.scan_records(array, ord(form.delimiter), ord(form.quote), count_blank)


def _how_many(threads: int | None, size: int) -> int:
    """Return the number of threads: as asked for, else one for a small file, else one per core."""
    if threads is not None:
        return max(threads, 1)
    return 1 if 0 < size < WORTH_THREADS else usable_cores()


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
                f"are accepted. Say if row 1 does not hold the column names."
            )
        if name in seen:
            raise InvalidTable(
                f"Columns {seen[name]} and {number} have the same name; rename one in row 1."
            )
        seen[name] = number
    return tuple(record)


def _check_width(row: int, found: int, expected: int) -> None:
    if found != expected:
        raise InvalidTable(f"Row {row} {ragged(found, expected)}")


def check_row_count(count: int) -> None:
    if count > MOST_ROWS:
        raise InvalidTable(f"The file has {count:,} rows; at most {MOST_ROWS:,} can be read.")


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
