"""Excel workbooks: one sheet is the table, which may begin below a title and beside a margin.

Cells become text as the sheet shows them if their format changes their meaning: leading zeros of a
code and dates. Numbers are not rounded to the digits shown.
"""

import re
import warnings
import zipfile
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import IO, Any, BinaryIO, cast
from xml.parsers.expat import ExpatError, ParserCreate

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.cells import NO_ROWS, CellEncoder, check_column_count, check_names
from deid_portal.engine.files.csv.format import judge_first_row
from deid_portal.engine.files.csv.reader import MOST_COLUMNS
from deid_portal.engine.files.file_format import Settings, WorkbookFormat
from deid_portal.engine.files.file_kind import DAMAGED_ARCHIVE
from deid_portal.engine.files.library_errors import told_in_a_sentence
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.sample import SAMPLE_ROWS, GuessedSettings, Sample
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.cell_text import without_midnight, write_cell
from deid_portal.engine.table.missing_words import find_missing_words
from deid_portal.engine.table.table import Table

MOST_UNPACKED = 1 << 30
MOST_UNPACKED_TEXTS = 256 << 20  # all of these are held in memory
# Ordinary sheets shrink to about a tenth; a hundredth means almost no content.
MOST_SHRUNK, WORTH_ASKING = 100, 32 << 20
MOST_ROWS = 1_048_576  # Excel ends here
CONTENTS, TEXTS = "[Content_Types].xml", "sharedStrings+xml"
LOOK_FOR_START = 50
ENOUGH_OF_A_ROW = 0.5
SIZES = ("file_size", "compress_size")
BLOCK_BYTES = 1 << 20
LONGEST_TAG = 1024
ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")
PADDED = re.compile(r"0{2,}\Z")
MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*?\bref="([A-Z]+)(\d+):[A-Z]+(\d+)"')
HIDDEN_ROW = re.compile(rb'<(?:\w+:)?row\b[^>]*?\bhidden="(?:1|true)"')
TOO_LARGE = (
    "Unpacked, the workbook is far larger than a table of its size should be, so it was not "
    "opened. Save the sheet as CSV and upload that."
)

BLOCK_OF_PROLOG, LONGEST_PROLOG = 1 << 12, 1 << 16
LONG_PROLOG = (
    "A part of the workbook has more than 64 KB of comments or blanks before its first element, "
    "which no program writes and which is not accepted. Save it again in Excel, or as CSV, and "
    "upload that."
)
DOCUMENT_TYPE = (
    "The workbook declares a document type, which no workbook needs and which is not accepted. "
    "Save it again in Excel, or as CSV, and upload that."
)

Row = tuple[int, list[str | None]]  # its number in the sheet, and its cells


@dataclass(frozen=True)
class MergedCells:
    """Cells of one column joined into one; rows and columns count from 1, ends included."""

    first_row: int
    last_row: int
    column: int


@dataclass(frozen=True)
class Sheet:
    """One sheet of an open workbook."""

    rows: Any  # openpyxl's sheet, which reads its rows one after the other
    merged: tuple[MergedCells, ...]
    hidden_rows: int


class Workbooks:
    def detect(self, stream: BinaryIO, limits: ReadingLimits, sheet: str = "") -> GuessedSettings:
        with _opened(stream, limits) as book:
            names = _names_of_sheets(book)
            # A sheet with one row holds a title or a note; a table has at least two.
            tables = (name for name in names if len(_rows_of(book, name, 2)) > 1)
            sheet = sheet if sheet in names else next(tables, names[0])
            start = _rows_of(book, sheet, LOOK_FOR_START)
        evidence = {"sheet": "the only sheet" if len(names) == 1 else f"1 of {len(names)} sheets"}
        first_row, evidence["first_row"] = _find_first_row(start)
        top = next((cells for number, cells in start if number == first_row), [])
        below = [cells for number, cells in start if number > first_row]
        has_header, evidence["has_header"] = _has_names(top, below)
        counts = Counter(cell for _, cells in start for cell in cells if cell)
        words = {*find_missing_words(counts)[0], *ERRORS}
        found = Counter({cell: count for cell, count in counts.items() if cell in words})
        missing = tuple(sorted(found))
        cells = "1 cell" if found.total() == 1 else f"{found.total()} cells"
        evidence["missing"] = f"{cells} in the first rows" if missing else "no usual word found"
        return GuessedSettings(
            WorkbookFormat(sheet, first_row, has_header, missing), evidence, names
        )

    def read_sample(self, stream: BinaryIO, settings: Settings, limits: ReadingLimits) -> Sample:
        form = cast(WorkbookFormat, settings)
        with _opened(stream, limits) as book, _sheet_of(book, stream, form) as sheet:
            builder = _read_rows(sheet, form, None, SAMPLE_ROWS)
            return Sample(builder.build(), _notes(sheet, form))

    def read(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        progress: ProgressCallback | None,
    ) -> Table:
        form = cast(WorkbookFormat, settings)
        with _opened(stream, limits) as book, _sheet_of(book, stream, form) as sheet:
            return _read_rows(sheet, form, progress, None).build()


@contextmanager
def _opened(stream: BinaryIO, limits: ReadingLimits) -> Iterator[Any]:
    """Open a workbook after checking the sizes of its parts."""
    _check_sizes(stream, limits)
    from openpyxl import load_workbook

    # Its warnings concern styles, which are not used here, and some quote a cell.
    warnings.filterwarnings("ignore", module="openpyxl")
    with told_in_a_sentence(DAMAGED_ARCHIVE):
        # Formulas are replaced by their values when the workbook was last saved.
        book = load_workbook(stream, read_only=True, data_only=True)
    try:
        yield book
    finally:
        book.close()


def _check_sizes(stream: BinaryIO, limits: ReadingLimits) -> None:
    """Refuse a workbook that unpacks to too much; its reader never reads past these sizes."""
    with told_in_a_sentence(DAMAGED_ARCHIVE), zipfile.ZipFile(stream) as archive:
        parts = archive.infolist()
        unpacked, packed = (sum(getattr(part, size) for part in parts) for size in SIZES)
        is_hollow = unpacked > WORTH_ASKING and unpacked > MOST_SHRUNK * packed
        most = min(MOST_UNPACKED, limits.unpacked_bytes or MOST_UNPACKED)
        if unpacked > most or is_hollow:
            raise InvalidTable(TOO_LARGE)
        # The type of a part is stated in the table of contents, whatever its file name.
        for part in parts:
            with archive.open(part) as content:
                _check_prolog(content)
        texts = sum(archive.getinfo(name).file_size for name in _list_texts(archive))
        if texts > min(most, MOST_UNPACKED_TEXTS):
            raise InvalidTable(TOO_LARGE)


def _list_texts(archive: zipfile.ZipFile) -> list[str]:
    """Return which parts hold the texts of cells, as the table of contents says it."""
    found: list[str] = []

    def note(name: str, attributes: dict[str, str]) -> None:
        if attributes.get("ContentType", "").endswith(TEXTS):
            # The reader takes the first character for the slash, whatever it is.
            found.append(attributes.get("PartName", "")[1:])

    parser = ParserCreate()
    parser.StartElementHandler = note
    with suppress(ExpatError, KeyError):
        parser.Parse(archive.read(CONTENTS), True)
    return [name for name in found if name in archive.namelist()]


def _check_prolog(xml: IO[bytes]) -> None:
    """Refuse XML that could declare entities, which multiply or name other files.

    A document type stands before the first element, so only the text before that is checked, and
    refused if it is long. XML that is not well-formed is refused by the reader of the whole part.
    """
    parser = ParserCreate()
    seen: list[str] = []
    parser.StartDoctypeDeclHandler = lambda *_: seen.append(DOCUMENT_TYPE)
    parser.StartElementHandler = lambda *_: seen.append("")
    with suppress(ExpatError):
        while not seen and (block := xml.read(BLOCK_OF_PROLOG)):
            if xml.tell() > LONGEST_PROLOG:
                raise InvalidTable(LONG_PROLOG)
            parser.Parse(block, False)
    if DOCUMENT_TYPE in seen:
        raise InvalidTable(DOCUMENT_TYPE)


def _names_of_sheets(book: Any) -> tuple[str, ...]:
    """Return the sheets that hold cells, visible ones first."""
    sheets = sorted(book.worksheets, key=lambda sheet: sheet.sheet_state != "visible")
    if not sheets:
        raise InvalidTable("The workbook has no sheet with cells.")
    return tuple(sheet.title for sheet in sheets)


@contextmanager
def _sheet_of(book: Any, stream: BinaryIO, form: WorkbookFormat) -> Iterator[Sheet]:
    names = _names_of_sheets(book)
    name = form.sheet or names[0]
    if name not in names:
        raise InvalidTable("The workbook has no sheet of this name any more; choose another.")
    rows = book[name]
    merged, hidden = _look_through(stream, rows._worksheet_path)
    yield Sheet(rows, merged, hidden)


def _look_through(stream: BinaryIO, part: str) -> tuple[tuple[MergedCells, ...], int]:
    """Find merged cells and hidden rows, of which openpyxl's reader of large sheets says nothing.

    Blocks overlap by the length of a tag, and what lies whole in the overlap is counted once.
    """
    merged: dict[MergedCells, None] = {}
    hidden = 0
    with (
        told_in_a_sentence(DAMAGED_ARCHIVE),
        zipfile.ZipFile(stream) as archive,
        archive.open(part) as sheet,
    ):
        before = b""
        while block := sheet.read(BLOCK_BYTES):
            text = before + block
            for found in MERGED.finditer(text):
                merged[_to_merged(found)] = None
            hidden += sum(1 for tag in HIDDEN_ROW.finditer(text) if tag.end() > len(before))
            before = text[-LONGEST_TAG:]
    return tuple(merged), hidden


def _to_merged(found: re.Match[bytes]) -> MergedCells:
    from openpyxl.utils import column_index_from_string

    column, top, bottom = (part.decode() for part in found.groups())
    return MergedCells(int(top), int(bottom), column_index_from_string(column))


def _rows_of(book: Any, name: str, most: int) -> list[Row]:
    """Return the first rows of a sheet that hold anything."""
    with told_in_a_sentence(DAMAGED_ARCHIVE):
        sheet = book[name]
    return list(islice(_filled_rows(sheet), most))


def _filled_rows(sheet: Any) -> Iterator[Row]:
    """Yield the rows that hold anything, as wide as their last filled cell."""
    sheet.reset_dimensions()  # the stated size of a sheet is often wrong
    rows = sheet.iter_rows()
    number = 0
    while (cells := _next_cells(rows)) is not None:
        number += 1
        if number > MOST_ROWS:
            raise InvalidTable(TOO_LARGE)
        while cells and cells[-1] is None:
            cells.pop()
        if cells:
            yield number, cells


def _next_cells(rows: Iterator[Any]) -> list[str | None] | None:
    with told_in_a_sentence(DAMAGED_ARCHIVE):
        row = next(rows, None)
        if row is None:
            return None
        return [None if cell.value is None else _write(cell) for cell in row]


def _write(cell: Any) -> str | None:
    value = cell.value
    if isinstance(value, str):
        # No copy, since a million cells can share one long text.
        return None if not value or value.isspace() else value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _write_number(value, cell.number_format)
    if isinstance(value, datetime) and not re.search("[hs]", cell.number_format or "", re.I):
        return value.date().isoformat()
    return write_cell(value)


def _write_number(value: float, shown: str | None) -> str | None:
    """Write a number as Excel does, with 15 digits at most, and the zeros its format puts first."""
    text = write_cell(float(f"{value:.15g}"))
    if shown and PADDED.match(shown) and text and text.isdecimal():
        return text.zfill(len(shown))
    return text


def _find_first_row(start: Sequence[Row]) -> tuple[int, str]:
    """Return the first row that is about as full as the fullest: titles above are shorter."""
    if not start:
        raise InvalidTable("The sheet is empty. Choose a sheet with column names and rows.")
    full = [sum(cell is not None for cell in cells) for _, cells in start]
    place = next(i for i, count in enumerate(full) if count > ENOUGH_OF_A_ROW * max(full))
    number = start[place][0]
    return number, f"{full[place]} filled cells" + (", few above it" if place else "")


def _has_names(
    cells: Sequence[str | None], below: Sequence[Sequence[str | None]]
) -> tuple[bool, str]:
    has_names, reason = judge_first_row(cells, below)
    names = [cell for cell in cells if cell is not None]
    return has_names, reason or f"{len(names)} names"


def _notes(sheet: Sheet, form: WorkbookFormat) -> tuple[str, ...]:
    notes = []
    if form.first_row > 1:
        above = form.first_row - 1
        rows = "The row" if above == 1 else f"The {above} rows"
        notes.append(f"{rows} above the table {'is' if above == 1 else 'are'} left out.")
    if sheet.hidden_rows:
        rows = "1 row is" if sheet.hidden_rows == 1 else f"{sheet.hidden_rows} rows are"
        notes.append(f"{rows} hidden in the workbook; hidden rows are read like all others.")
    if any(form.first_row < part.first_row < part.last_row for part in sheet.merged):
        notes.append("Merged cells were filled: each of their rows has the value.")
    return tuple(notes)


def _read_rows(
    sheet: Sheet, form: WorkbookFormat, progress: ProgressCallback | None, most: int | None
) -> "SheetBuilder":
    steps = Progress(progress)
    builder = SheetBuilder(form)
    for number, cells in _filled_rows(sheet.rows):
        if number < form.first_row:
            continue
        builder.add(number, cells)
        if builder.rows == most:
            break
        steps.report(builder.rows, 0, "read", rows=builder.rows)
    for part in sheet.merged:
        builder.fill(part)
    return builder


class SheetBuilder:
    """Collects the rows of a sheet; columns that have neither a name nor a value vanish."""

    def __init__(self, form: WorkbookFormat) -> None:
        self._form = form
        self._names: list[str | None] | None = None if form.has_header else []
        self._encoders: list[CellEncoder] = []
        self._numbers: list[int] = []  # of the rows, in the sheet

    @property
    def rows(self) -> int:
        return len(self._numbers)

    def add(self, number: int, cells: list[str | None]) -> None:
        if len(cells) > MOST_COLUMNS:
            check_column_count(len(cells))
        if self._names is None:
            self._names = cells
            self._widen(len(cells))
            return
        self._widen(len(cells))
        self._numbers.append(number)
        width = len(cells)
        for place, encoder in enumerate(self._encoders):
            encoder.add(cells[place] if place < width else None)

    def fill(self, part: MergedCells) -> None:
        """Give every row of merged cells their value, which stands in the first only."""
        first = bisect_left(self._numbers, part.first_row)
        end = bisect_left(self._numbers, part.last_row + 1)
        is_there = first < end and self._numbers[first] == part.first_row
        if is_there and part.column <= len(self._encoders):
            self._encoders[part.column - 1].fill(slice(first, end), first)

    def build(self) -> Table:
        if not self._numbers:
            raise InvalidTable(NO_ROWS if self._names else "The sheet is empty. Choose another.")
        for encoder in self._encoders:
            encoder.replace(frozenset(self._form.missing))
        kept = [
            (name, encoder)
            for name, encoder in zip(self._all_names(), self._encoders, strict=True)
            if name or not encoder.is_empty
        ]
        check_column_count(len(kept))
        names = [name or f"column {place}" for place, (name, _) in enumerate(kept, start=1)]
        check_names(names)
        pairs = zip(names, kept, strict=True)
        return Table(tuple(without_midnight(encoder.build(name)) for name, (_, encoder) in pairs))

    def _all_names(self) -> list[str]:
        names = [(name or "").strip() for name in self._names or []]
        return names + [""] * (len(self._encoders) - len(names))

    def _widen(self, width: int) -> None:
        while len(self._encoders) < width:
            encoder = CellEncoder()
            for _ in range(self.rows):
                encoder.add(None)
            self._encoders.append(encoder)
