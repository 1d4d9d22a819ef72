"""The one door for files: say what a file is, show its first rows, read it whole."""

import hashlib
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.cells import check_cells
from deid_portal.engine.files.column_types import (
    could_be_either_order,
    count_leading_zeros,
    read_as,
    without_thousands,
)
from deid_portal.engine.files.csv.row_problems import RowProblem
from deid_portal.engine.files.database_table import DatabaseTables
from deid_portal.engine.files.file_format import FileFormat, FileKind
from deid_portal.engine.files.file_kind import recognize
from deid_portal.engine.files.isolated_reader import IsolatedReader
from deid_portal.engine.files.limits import USUAL_LIMITS, ReadingLimits
from deid_portal.engine.files.parquet import ParquetFiles
from deid_portal.engine.files.sample import FormatModule
from deid_portal.engine.files.statistics_files import StatisticsFiles
from deid_portal.engine.files.text_files import TextFiles
from deid_portal.engine.files.workbook import Workbooks
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.missing_words import find_missing_words
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType, find_date_format

BLOCK_BYTES = 1 << 20
MODULES: dict[FileKind, FormatModule] = {
    FileKind.CSV: TextFiles(is_packed=False),
    FileKind.CSV_GZIP: TextFiles(is_packed=True),
    FileKind.EXCEL: Workbooks(),
    FileKind.PARQUET: ParquetFiles(),
    FileKind.SPSS: StatisticsFiles(FileKind.SPSS),
    FileKind.STATA: StatisticsFiles(FileKind.STATA),
    FileKind.SAS: StatisticsFiles(FileKind.SAS),
    FileKind.SAS_TRANSPORT: StatisticsFiles(FileKind.SAS_TRANSPORT),
    FileKind.DATABASE: DatabaseTables(),
}
# Read by third-party libraries, which a damaged file can crash.
KINDS_READ_APART = frozenset(MODULES) - {FileKind.CSV, FileKind.CSV_GZIP, FileKind.DATABASE}


@dataclass(frozen=True)
class FileDetection:
    """A guessed format, per setting the words that say why, and the sheets to choose from."""

    format: FileFormat
    evidence: dict[str, str]
    sheets: tuple[str, ...] = ()


@dataclass(frozen=True)
class ColumnPreview:
    """One column of the first rows: what it seems to be, and what is doubtful about it."""

    name: str
    type: ColumnType
    detected: ColumnType  # the type inferred, before any correction
    date_format: str  # empty unless the type is date
    leading_zeros: int  # values that would lose zeros as numbers
    either_order: bool  # dates that fit with the day first and with the month first
    has_thousands: bool = False  # numbers whose digits stand in groups of three in the file


@dataclass(frozen=True)
class DoubtfulWord:
    """A word in cells that may say a value is missing, or be an answer; where and how often."""

    word: str
    cells: int  # of the first rows
    columns: tuple[str, ...]


@dataclass(frozen=True)
class FilePreview:
    """The first rows of a file, and what a person should know about how they were read."""

    columns: tuple[ColumnPreview, ...]
    rows: list[list[str | None]]
    notes: tuple[str, ...]
    doubtful_words: tuple[DoubtfulWord, ...] = ()


def detect_file(
    source: BinaryIO | Path, sheet: str = "", limits: ReadingLimits = USUAL_LIMITS
) -> FileDetection:
    """Look at the content of a file; raises InvalidTable, in one sentence, if it is no table.

    `sheet` says which sheet of a workbook to look at; without it, the first that holds a table.
    """
    with _opened(source) as stream:
        kind = recognize(stream)
        found = _module(kind).detect(stream, limits, sheet)
    return FileDetection(FileFormat(kind, found.settings), found.evidence, found.sheets)


def preview_file(
    source: BinaryIO | Path,
    form: FileFormat,
    rows: int = 8,
    limits: ReadingLimits = USUAL_LIMITS,
) -> FilePreview:
    """Read the beginning of a file; types and doubts come from its first thousand rows."""
    with _opened(source) as stream:
        sample = _module(form.kind).read_sample(stream, form.settings, limits)
    check_cells(sample.table, _first_row(form))
    doubts = [_doubts(column) for column in sample.table.columns]
    table = _with_types(sample.table, form)
    columns = tuple(
        replace(doubt, type=column.type, date_format=_date_format(column))
        for doubt, column in zip(doubts, table.columns, strict=True)
    )
    has_words = hasattr(form.settings, "missing")
    words = _doubtful_words(sample.table) if has_words else ()
    return FilePreview(columns, table.head(rows), sample.notes, words)


def _doubtful_words(table: Table) -> tuple[DoubtfulWord, ...]:
    """Return the words that could mean a missing value, the most frequent first."""
    counts: Counter[str] = Counter()
    places: dict[str, list[str]] = {}
    for column in table.columns:
        if column.type != ColumnType.TEXT:
            continue
        rows = dict(zip(column.values, column.counts.tolist(), strict=True))
        sure, doubtful = find_missing_words(text for text in rows if text is not None)
        for word in (*sure, *doubtful):
            counts[word] += rows[word]
            places.setdefault(word, []).append(column.name)
    return tuple(
        DoubtfulWord(word, cells, tuple(places[word])) for word, cells in counts.most_common()
    )


def read_table(
    source: BinaryIO | Path,
    form: FileFormat,
    progress: ProgressCallback | None = None,
    sha256: str = "",
    limits: ReadingLimits = USUAL_LIMITS,
) -> Table:
    """Read a whole file; the table remembers the SHA-256 of the file's bytes.

    Passing a known `sha256` saves a pass over the file.
    """
    with _opened(source) as stream:
        table = _module(form.kind).read(stream, form.settings, limits, progress)
        check_cells(table, _first_row(form))
        return Table(_with_types(table, form).columns, sha256 or _sha256(stream))


def list_row_problems(
    source: BinaryIO | Path,
    form: FileFormat,
    most_rows: int = 0,
    progress: ProgressCallback | None = None,
    limits: ReadingLimits = USUAL_LIMITS,
) -> tuple[RowProblem, ...]:
    """Return the rows that cannot be read, of the whole file or its first rows, with what is wrong.

    Only text files can be read in part; files of other kinds are intact or damaged.
    """
    module = MODULES[form.kind]
    if not isinstance(module, TextFiles):
        return ()
    with _opened(source) as stream:
        return module.find_problems(stream, form.settings, limits, most_rows, progress)


def _module(kind: FileKind) -> FormatModule:
    return IsolatedReader(kind) if kind in KINDS_READ_APART else MODULES[kind]


def _with_types(table: Table, form: FileFormat) -> Table:
    columns = (
        read_as(column, form.types[place], place + 1)
        if place in form.types
        else without_thousands(column)
        for place, column in enumerate(table.columns)
    )
    return Table(tuple(columns), table.source_sha256)


def _doubts(written: Column) -> ColumnPreview:
    column = without_thousands(written)
    is_text = column.type == ColumnType.TEXT
    zeros = count_leading_zeros(column) if is_text else 0
    is_date = column.type == ColumnType.DATE
    either = is_date and could_be_either_order(column)
    has_thousands = column is not written
    return ColumnPreview(column.name, column.type, column.type, "", zeros, either, has_thousands)


def _date_format(column: Column) -> str:
    if column.type != ColumnType.DATE:
        return ""
    return find_date_format(text for text in column.values if text is not None) or ""


def _first_row(form: FileFormat) -> int:
    has_header = getattr(form.settings, "has_header", True)
    return getattr(form.settings, "first_row", 1) + bool(has_header)


def _sha256(stream: BinaryIO) -> str:
    stream.seek(0)
    digest = hashlib.sha256()
    while block := stream.read(BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()


@contextmanager
def _opened(source: BinaryIO | Path) -> Iterator[BinaryIO]:
    """Give a stream that can be read from any place; a stream of the caller stays open."""
    if isinstance(source, Path):
        try:
            stream = source.open("rb")
        except OSError:
            raise InvalidTable(f'There is no readable file "{source.name}".') from None
        with stream:
            yield stream
    else:
        source.seek(0, io.SEEK_SET)
        yield source
