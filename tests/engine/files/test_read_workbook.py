"""Sheets as people make them: titles above, margins, merged and hidden cells, dates, formulas."""

import io
import zipfile
from datetime import date, datetime

import openpyxl
import pytest

from deid_portal.engine import ColumnType, InvalidTable
from deid_portal.engine.files.file_format import FileFormat, FileKind, WorkbookFormat
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from deid_portal.engine.files.workbook import TEXTS
from tests.engine.files.files import saved


def ugly_book() -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.active.title = "Read me"
    book.active["A1"] = "See the other sheet"
    page = book.create_sheet("Patients 2026")
    page["B2"] = "Patients of the ward"
    page.merge_cells("B2:E2")
    for place, name in enumerate(("ward", "zip", "born", "share"), start=2):
        page.cell(4, place).value = name
    rows = [
        ("A", 1234, date(1980, 1, 2), 0.1 + 0.2),
        (None, 2139, date(1990, 3, 4), "#N/A"),
        (None, 99999, None, 3),
    ]
    for number, row in enumerate(rows, start=6):  # row 5 is empty
        for place, cell in enumerate(row, start=2):
            page.cell(number, place).value = cell
        page.cell(number, 3).number_format = "00000"
    page.merge_cells("B6:B7")
    page.row_dimensions[7].hidden = True
    book.create_sheet("secret").sheet_state = "hidden"
    return book


def test_an_ugly_sheet_is_understood() -> None:
    stream = io.BytesIO(saved(ugly_book()))
    found = detect_file(stream)
    assert found.sheets == ("Read me", "Patients 2026", "secret")
    form = FileFormat(FileKind.EXCEL, WorkbookFormat("Patients 2026", 4, True, ("#N/A",)))
    assert found.format == form
    table = read_table(stream, form)
    assert table.names == ("ward", "zip", "born", "share")
    assert table.head(9) == [
        ["A", "01234", "1980-01-02", "0.3"],
        ["A", "02139", "1990-03-04", None],
        [None, "99999", None, "3"],
    ]
    assert table["born"].type == ColumnType.DATE
    notes = preview_file(stream, form).notes
    assert notes == (
        "The 3 rows above the table are left out.",
        "1 row is hidden in the workbook; hidden rows are read like all others.",
        "Merged cells were filled: each of their rows has the value.",
    )


@pytest.mark.parametrize(
    ("rows", "has_header"),
    [
        ([["id", 2019, 2020], [1, 5, 6], [2, 7, 8]], True),
        ([["Ann", "Paris"], ["Bob", "Paris"], ["Ann", "Rome"]], False),
    ],
)
def test_a_sheet_is_judged_by_what_stands_below_its_first_row(
    rows: list[list[object]], has_header: bool
) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    settings = detect_file(io.BytesIO(saved(book))).format.settings
    assert isinstance(settings, WorkbookFormat)
    assert settings.has_header is has_header


def test_any_sheet_and_row_can_be_chosen() -> None:
    stream = io.BytesIO(saved(ugly_book()))
    form = FileFormat(FileKind.EXCEL, WorkbookFormat("Patients 2026", 6, has_header=False))
    table = read_table(stream, form)
    assert table.names == ("column 1", "column 2", "column 3", "column 4")
    assert table.rows == 3
    gone = FileFormat(FileKind.EXCEL, WorkbookFormat("Patients 2025"))
    with pytest.raises(InvalidTable, match="no sheet of this name"):
        read_table(stream, gone)


def test_a_column_without_a_name_is_numbered_and_an_empty_one_vanishes() -> None:
    book = openpyxl.Workbook()
    for row in (("a", None, None, "d"), (1, None, 3, 4)):
        book.active.append(row)
    stream = io.BytesIO(saved(book))
    table = read_table(stream, detect_file(stream).format)
    assert table.names == ("a", "column 2", "d")
    assert table.head(9) == [["1", "3", "4"]]


def test_times_yes_and_no_and_whole_numbers_look_as_in_the_sheet() -> None:
    book = openpyxl.Workbook()
    book.active.append(("moment", "yes", "whole", "big"))
    book.active.append((datetime(2026, 3, 1, 10, 30), True, 5.0, 12345678901234))
    stream = io.BytesIO(saved(book))
    table = read_table(stream, detect_file(stream).format)
    assert table.head(9) == [["2026-03-01 10:30:00", "TRUE", "5", "12345678901234"]]


def test_days_that_are_kept_as_moments_are_days() -> None:
    book = openpyxl.Workbook()
    book.active.append(("born", "seen"))
    book.active.append((datetime(1956, 8, 31), datetime(2026, 3, 1, 10, 30)))
    book.active["A2"].number_format = "yyyy-mm-dd h:mm:ss"
    stream = io.BytesIO(saved(book))
    table = read_table(stream, detect_file(stream).format)
    assert table.head(9) == [["1956-08-31", "2026-03-01 10:30:00"]]


def test_a_date_beyond_all_time_is_no_date_and_is_not_told_to_a_log(
    recwarn: pytest.WarningsRecorder,
) -> None:
    book = openpyxl.Workbook()
    book.active.append(("day", "n"))
    book.active.append((987654321012, "x"))
    book.active["A2"].number_format = "yyyy-mm-dd"
    stream = io.BytesIO(saved(book))
    assert read_table(stream, detect_file(stream).format).rows == 1
    assert [str(warning.message) for warning in recwarn] == []


def test_a_formula_is_text_and_never_run() -> None:
    book = openpyxl.Workbook()
    book.active.append(("a", "b"))
    book.active.append(("x", "=1+1"))
    book.active["B2"].data_type = "s"
    stream = io.BytesIO(saved(book))
    assert read_table(stream, detect_file(stream).format).head(1) == [["x", "=1+1"]]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "The sheet is empty"),
        ([("a", "b")], "column names but no rows"),
        ([("a", "a"), ("secret", 2)], "Columns 1 and 2 have the same name"),
        ([("a", "x" * 400), ("secret", 2)], "name of column 2 has 400 characters"),
    ],
)
def test_a_sheet_that_is_no_table_gets_one_sentence(
    rows: list[tuple[object, ...]], sentence: str
) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO(saved(book))
    with pytest.raises(InvalidTable, match=r"[.]$") as refusal:
        read_table(stream, detect_file(stream).format)
    assert sentence in str(refusal.value)
    assert "secret" not in str(refusal.value)


def test_texts_kept_apart_from_the_sheet_are_found() -> None:
    """As Excel writes: cells hold numbers of texts, and a text may be made of several runs."""
    book = openpyxl.Workbook()
    book.active.append(("a", "b"))
    texts = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        "<si><t>name</t></si><si><t>zip</t></si><si><r><t>An</t></r><r><t>n</t></r></si>"
        '<si><t xml:space="preserve">01234</t></si></sst>'
    )
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
        '<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="s"><v>3</v></c></row>'
        "</sheetData></worksheet>"
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(book))) as old, zipfile.ZipFile(stream, "w") as new:
        for part in old.namelist():
            content = old.read(part)
            if part == "[Content_Types].xml":
                kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings"
                line = f'<Override PartName="/{TEXTS}" ContentType="{kind}+xml"/></Types>'
                content = content.replace(b"</Types>", line.encode())
            new.writestr(part, sheet if part.endswith("sheet1.xml") else content)
        new.writestr(TEXTS, texts)
    table = read_table(stream, detect_file(stream).format)
    assert table.names == ("name", "zip")
    assert table.head(9) == [["Ann", "01234"]]


def test_a_sheet_of_too_many_columns_is_refused() -> None:
    book = openpyxl.Workbook(write_only=True)
    page = book.create_sheet()
    page.append([f"c{number}" for number in range(10_000)])
    page.append(list(range(10_000)))
    stream = io.BytesIO(saved(book))
    with pytest.raises(InvalidTable, match="10000 columns; at most 2000"):
        read_table(stream, detect_file(stream).format)
