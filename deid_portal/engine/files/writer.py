"""Tables into files of the kinds people bring: CSV, Excel, Parquet, SPSS, Stata.

A table is written only if it can be read back without loss: a value that a kind of file would
change (a control character in a workbook, a blank at the end of a text in SPSS) is refused. Numbers
and days are written as such if that does not change their value, and otherwise as text. Text that
looks like a formula stays text, in cells that are declared to be text, so no program runs it; only
CSV, which cannot declare anything, gets an apostrophe in front.
"""

import os
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, BinaryIO
from xml.sax.saxutils import escape

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.writer import FORMULA, join_rows, write_csv
from deid_portal.engine.files.file_format import KIND_WORDS, FileKind
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType, is_number, parse_number

EXACT_INTEGER = 10**15  # spreadsheets show fifteen digits
LARGEST_NUMBER = 1e300  # statistics packages use larger numbers as gaps
FIRST_DAY = date(1900, 3, 1)  # the calendar of spreadsheets is wrong before
MOST_ROWS_OF_A_SHEET = 1_048_575  # below the names
LONGEST_CELL_OF_A_SHEET = 32_767
LONGEST_TEXT_OF_STATA = 2_045
LONGEST_TEXT_OF_SPSS = 32_767
MOST_LABELS = 1_000  # of a column in SPSS; with more, texts stay texts
LONGEST_LABEL = 120  # bytes, in SPSS
# SPSS writes day and time into the head of a file; equal tables shall be equal files.
SPSS_PLACE_OF_TIME, SPSS_LONG_AGO = 92, b"01 Jan 8000:00:00"
BLOCK_BYTES = 1 << 20
DAY_ZERO = date(1899, 12, 30)  # of spreadsheets
STYLE_OF_DAYS, STYLE_OF_FORMULAS = 1, 2  # places among the cellXfs below
XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
WORKBOOK_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType='
    '"application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>",
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Table" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="r2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">'
    '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>",
}
SHEET_NAME = "xl/worksheets/sheet1.xml"
LONG_AGO = (1980, 1, 1, 0, 0, 0)
SHEET_START = f'<worksheet xmlns="{_MAIN}"><sheetData>'
SHEET_END = "</sheetData></worksheet>"
# A workbook is XML: it can hold no control characters, turns a carriage return into a line break,
# and takes _x0041_ for the letter A.
CHANGED_BY_A_SHEET = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_")
NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]")
LONGEST_NAME = 30
RESERVED = frozenset("all and by eq ge gt le lt ne not or to with".split()) | frozenset(
    "_all _b byte _coef _cons double float if in int long _n _pi _pred _rc _skip str strl using"
    "".split()
)
Write = Callable[[Table, BinaryIO], None]


def write_table(table: Table, stream: BinaryIO, kind: FileKind) -> None:
    """Write a table as a file of a kind; raises InvalidTable where that would change it."""
    if kind not in WRITERS:
        raise InvalidTable(f"A table cannot be written as a {KIND_WORDS[kind]}; choose CSV.")
    WRITERS[kind](table, stream)


@dataclass(frozen=True)
class TypedColumn:
    """The values of a column in their type; `kind` is text if another type would change a value."""

    column: Column
    kind: ColumnType
    values: list[Any]  # one per code

    def cells(self) -> Iterator[Any]:
        return (self.values[code] for code in self.column.codes)


def _typed(column: Column, kind: FileKind) -> TypedColumn:
    read = (READERS | OWN_READERS.get(kind, {})).get(column.type)
    if read is not None:
        values = [None if t is None else read(t, column.decimal) for t in column.values]
        if sum(value is None for value in values) == sum(text is None for text in column.values):
            return TypedColumn(column, column.type, values)
    return TypedColumn(column, ColumnType.TEXT, list(column.values))


def _read_integer(text: str, decimal: str) -> int | None:
    number = int(text)
    return number if abs(number) < EXACT_INTEGER else None


def _read_number(text: str, decimal: str) -> float | None:
    exact = parse_number(text, decimal)
    number = float(exact)
    is_exact = Decimal(repr(number)) == exact and abs(number) < LARGEST_NUMBER
    return number if is_exact else None


def _read_short_number(text: str, decimal: str) -> float | None:
    """A spreadsheet keeps fifteen digits of a number."""
    number = _read_number(text, decimal)
    return number if number is not None and float(f"{number:.15g}") == number else None


def _read_day(text: str, decimal: str) -> date | None:
    try:
        day = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
    return day if day is not None and day >= FIRST_DAY else None


def _read_boolean(text: str, decimal: str) -> bool | None:
    return {"true": True, "false": False}.get(text)


def _read_loud_boolean(text: str, decimal: str) -> bool | None:
    """A spreadsheet shows TRUE and FALSE, so only these are what they were afterwards."""
    return {"TRUE": True, "FALSE": False}.get(text)


READERS: dict[ColumnType, Callable[[str, str], Any]] = {
    ColumnType.INTEGER: _read_integer,
    ColumnType.NUMBER: _read_number,
    ColumnType.DATE: _read_day,
}
OWN_READERS: dict[FileKind, dict[ColumnType, Callable[[str, str], Any]]] = {
    FileKind.PARQUET: {ColumnType.BOOLEAN: _read_boolean},
    FileKind.EXCEL: {
        ColumnType.BOOLEAN: _read_loud_boolean,
        ColumnType.NUMBER: _read_short_number,
    },
}


def _refuse(kind: FileKind, number: int, what: str) -> InvalidTable:
    words = KIND_WORDS[kind]
    article = "an" if words[0] in "AEIOS" and words[:3] != "Sta" else "a"
    return InvalidTable(
        f"Column {number} {what}, which {article} {words} cannot hold; choose CSV or Parquet."
    )


def _write_workbook(table: Table, stream: BinaryIO) -> None:
    """Write the parts of a workbook directly: libraries put rows into temporary files."""
    _check_fits_a_sheet(table)
    written = [
        [_xml_cell(value) for value in _typed(column, FileKind.EXCEL).values]
        for column in table.columns
    ]
    names = "".join(_xml_cell(name) for name in table.names)
    written[0] = [f"<row>{cell}" for cell in written[0]]
    written[-1] = [f"{cell}</row>" for cell in written[-1]]
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in WORKBOOK_PARTS.items():
            archive.writestr(_part(name), f"{XML_HEAD}{content}")
        with archive.open(_part(SHEET_NAME), "w", force_zip64=True) as sheet:
            sheet.write(f"{XML_HEAD}{SHEET_START}<row>{names}</row>".encode())
            for block in join_rows(table, written):
                sheet.write(block)
            sheet.write(SHEET_END.encode())


def _part(name: str) -> zipfile.ZipInfo:
    """Name a part without the time it was written at: equal tables are equal files."""
    part = zipfile.ZipInfo(name, LONG_AGO)
    part.compress_type = zipfile.ZIP_DEFLATED
    part.create_system = 0
    return part


def _xml_cell(value: Any) -> str:
    match value:
        case None:
            return "<c/>"
        case bool():
            return f'<c t="b"><v>{value:d}</v></c>'
        case int() | float():
            return f"<c><v>{value!r}</v></c>"
        case date():
            return f'<c s="{STYLE_OF_DAYS}"><v>{(value - DAY_ZERO).days}</v></c>'
    # Declared as text it is not run; with the quote style it stays text when somebody edits it.
    style = f' s="{STYLE_OF_FORMULAS}"' if value[:1] == "'" or FORMULA.match(value) else ""
    return f'<c t="inlineStr"{style}><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def _check_fits_a_sheet(table: Table) -> None:
    if table.rows > MOST_ROWS_OF_A_SHEET:
        raise InvalidTable(
            f"A sheet of an Excel workbook ends at {MOST_ROWS_OF_A_SHEET:,} rows; choose CSV."
        )
    for number, column in enumerate(table.columns, start=1):
        for text in (column.name, *column.values):
            if text and len(text) > LONGEST_CELL_OF_A_SHEET:
                raise _refuse(FileKind.EXCEL, number, "holds a very long text")
            if text and CHANGED_BY_A_SHEET.search(text):
                raise _refuse(FileKind.EXCEL, number, "holds control characters")
            if text and not text.strip():
                raise _refuse(FileKind.EXCEL, number, "holds a text of nothing but blanks")
    if _has_an_empty_row(table):
        raise InvalidTable(
            "A row without a single value would vanish from an Excel workbook; choose CSV."
        )


def _has_an_empty_row(table: Table) -> bool:
    gaps = [column.gap for column in table.columns]
    if None in gaps:
        return False
    empty = table.columns[0].codes == gaps[0]
    for column, gap in zip(table.columns, gaps, strict=True):
        empty = empty & (column.codes == gap)
    return bool(empty.any())


def _write_parquet(table: Table, stream: BinaryIO) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    types = {
        ColumnType.TEXT: pa.string(),
        ColumnType.INTEGER: pa.int64(),
        ColumnType.NUMBER: pa.float64(),
        ColumnType.DATE: pa.date32(),
        ColumnType.BOOLEAN: pa.bool_(),
    }
    arrays = []
    for column in table.columns:
        typed = _typed(column, FileKind.PARQUET)
        values = pa.array(typed.values, types[typed.kind])
        arrays.append(values.take(pa.array(column.codes)))
    pa.parquet.write_table(pa.table(arrays, names=list(table.names)), stream)


def _write_spss(table: Table, stream: BinaryIO) -> None:
    for number, column in enumerate(table.columns, start=1):
        for text in column.values:
            if text and (text != text.rstrip(" ") or "\0" in text):
                raise _refuse(FileKind.SPSS, number, "holds a text that ends in a blank")
            if text and len(text.encode()) > LONGEST_TEXT_OF_SPSS:
                raise _refuse(FileKind.SPSS, number, "holds a very long text")
    _write_statistics(table, stream, FileKind.SPSS)


def _write_stata(table: Table, stream: BinaryIO) -> None:
    for number, column in enumerate(table.columns, start=1):
        for text in column.values:
            if text and ("\0" in text or len(text.encode()) > LONGEST_TEXT_OF_STATA):
                raise _refuse(FileKind.STATA, number, "holds a very long text")
    _write_statistics(table, stream, FileKind.STATA)


def _write_statistics(table: Table, stream: BinaryIO, kind: FileKind) -> None:
    """Write through a file in memory: the library needs a path, and rows must not reach a disk."""
    import pandas as pd
    import pyreadstat

    names = plain_names(table.names)
    data: dict[str, Any] = {}
    labels: dict[str, dict[float, str]] = {}
    for name, column in zip(names, table.columns, strict=True):
        typed = _typed(column, kind)
        if kind == FileKind.SPSS and _can_be_labelled(typed):
            typed, labels[name] = _number_words(typed)
        is_text = typed.kind == ColumnType.TEXT
        cells = [("" if is_text else None) if cell is None else cell for cell in typed.cells()]
        is_numeric = typed.kind in (ColumnType.INTEGER, ColumnType.NUMBER)
        data[name] = pd.Series(cells, dtype="float64" if is_numeric else "object")
    with _memory_file() as (descriptor, copy_to):
        path = f"/proc/self/fd/{descriptor}"
        if kind == FileKind.SPSS:
            pyreadstat.write_sav(
                pd.DataFrame(data),
                path,
                column_labels=list(table.names),
                variable_value_labels=labels,
                variable_measure=dict.fromkeys(labels, "nominal"),
            )
            os.pwrite(descriptor, SPSS_LONG_AGO, SPSS_PLACE_OF_TIME)
        else:
            pyreadstat.write_dta(pd.DataFrame(data), path, column_labels=list(table.names))
        copy_to(stream)


def _can_be_labelled(typed: TypedColumn) -> bool:
    """Say whether the texts of a column can be written as value labels and read back unchanged."""
    words = [text for text in typed.values if text is not None]
    return (
        typed.kind == ColumnType.TEXT
        and 0 < len(words) <= MOST_LABELS
        and all(
            word.strip() and len(word.encode()) <= LONGEST_LABEL and not is_number(word)
            for word in words
        )
    )


def _number_words(typed: TypedColumn) -> tuple[TypedColumn, dict[float, str]]:
    """Number the words of a column in their own order; a gap stays one."""
    words = sorted(text for text in typed.values if text is not None)
    numbers = {word: number for number, word in enumerate(words, start=1)}
    coded = [None if text is None else numbers[text] for text in typed.values]
    labels = {float(number): word for word, number in numbers.items()}
    return TypedColumn(typed.column, ColumnType.INTEGER, coded), labels


@contextmanager
def _memory_file() -> Iterator[tuple[int, Callable[[BinaryIO], None]]]:
    descriptor = os.memfd_create("table")

    def copy_to(stream: BinaryIO) -> None:
        os.lseek(descriptor, 0, os.SEEK_SET)
        while block := os.read(descriptor, BLOCK_BYTES):
            stream.write(block)

    try:
        yield descriptor, copy_to
    finally:
        os.close(descriptor)


def plain_names(names: Sequence[str]) -> list[str]:
    """Return names that SPSS and Stata accept; the real ones become labels of the columns."""
    plain: list[str] = []
    taken: set[str] = set()
    for number, name in enumerate(names, start=1):
        short = NOT_IN_A_NAME.sub("_", name)[:LONGEST_NAME]
        if not short[:1].isalpha():
            short = f"v{short}"[:LONGEST_NAME]
        if short.lower() in RESERVED or short.lower() in taken:
            short = f"{short[: LONGEST_NAME - 6]}_{number}"
        plain.append(short)
        taken.add(short.lower())
    return plain


WRITERS: dict[FileKind, Write] = {
    FileKind.CSV: write_csv,
    FileKind.EXCEL: _write_workbook,
    FileKind.PARQUET: _write_parquet,
    FileKind.SPSS: _write_spss,
    FileKind.STATA: _write_stata,
}
