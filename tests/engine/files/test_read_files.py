"""Files of every kind come back as the table that was written, whatever their name."""

import io
from datetime import date, datetime
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Cancelled, ColumnType, InvalidTable, Table
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.file_format import (
    FileFormat,
    FileKind,
    StatisticsFormat,
    WorkbookFormat,
)
from deid_portal.engine.files.file_kind import recognize
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from tests.engine.files import files
from tests.engine.tables import csv_bytes

NAMES = ("name", "zip", "age")
ROWS = [("Ann", "01234", 39), ("Bob", "02139", 50), (None, "02139", 38)]
AS_TEXT: list[list[str | None]] = [
    ["Ann", "01234", "39"],
    ["Bob", "02139", "50"],
    [None, "02139", "38"],
]
CSV = b"name,zip,age\nAnn,01234,39\nBob,02139,50\n,02139,38\n"
WRITTEN = {
    FileKind.CSV: CSV,
    FileKind.CSV_GZIP: files.gzipped(CSV),
    FileKind.EXCEL: files.xlsx(NAMES, ROWS),
    FileKind.PARQUET: files.parquet(NAMES, ROWS),
    FileKind.SPSS: files.sav(NAMES, ROWS),
    FileKind.STATA: files.dta(NAMES, ROWS),
    FileKind.SAS_TRANSPORT: files.xpt(NAMES, ROWS),
}


def read(content: bytes) -> Table:
    stream = io.BytesIO(content)
    return read_table(stream, detect_file(stream).format)


@pytest.mark.parametrize("kind", WRITTEN)
def test_every_kind_is_known_by_its_content_and_read(kind: FileKind) -> None:
    stream = io.BytesIO(WRITTEN[kind])
    assert recognize(stream) == kind
    table = read(WRITTEN[kind])
    assert table.names == NAMES
    assert table.head(9) == AS_TEXT
    assert table["zip"].type == ColumnType.TEXT
    assert table["age"].type == ColumnType.INTEGER
    assert table["name"].missing == 1
    preview = preview_file(stream, detect_file(stream).format)
    assert [column.name for column in preview.columns] == list(NAMES)
    assert [column.type for column in preview.columns] == [c.type for c in table.columns]
    assert preview.rows == AS_TEXT
    assert preview.columns[1].leading_zeros == 2


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_format_is_stored_and_found_again(kind: FileKind) -> None:
    form = detect_file(io.BytesIO(WRITTEN[kind])).format
    corrected = FileFormat(form.kind, form.settings, {1: TypeChoice.INTEGER})
    assert FileFormat.from_document(form.to_document()) == form
    assert FileFormat.from_document(corrected.to_document()) == corrected


def test_a_format_from_before_there_were_kinds_is_csv() -> None:
    form = FileFormat.from_document({"delimiter": ";", "encoding": "utf-8"})
    assert form == FileFormat(FileKind.CSV, CsvFormat(delimiter=";"))


@pytest.mark.parametrize("document", [{"kind": "pdf"}, {"kind": "xlsx", "row": 1}, {"types": 3}])
def test_a_format_that_means_nothing_is_refused(document: dict[str, Any]) -> None:
    with pytest.raises(InvalidTable, match="not a description"):
        FileFormat.from_document(document)


# What any table written comes back as. SPSS, Stata and SAS cut spaces at the end of a text and
# have shorter names; a spreadsheet takes no control characters.
letters = st.characters(categories=("L", "N", "P", "S"), max_codepoint=0x2FFF)
texts = st.text(letters, min_size=1, max_size=8).filter(lambda text: text.strip())
numbers = st.one_of(
    st.integers(-(10**12), 10**12), st.floats(-1e9, 1e9, allow_nan=False, width=32).map(float)
)
columns = st.one_of(
    st.lists(st.none() | texts, min_size=4, max_size=4),
    st.lists(numbers, min_size=4, max_size=4),
    st.lists(st.none() | st.dates(date(1900, 3, 1), date(2100, 1, 1)), min_size=4, max_size=4),
)


def as_text(cell: object) -> str | None:
    if cell is None:
        return None
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell)


@given(columns=st.lists(columns, min_size=1, max_size=4))
@settings(max_examples=20)
def test_a_typed_table_reads_back_equal(columns: list[list[Any]]) -> None:
    # In every format a column is text, numbers or dates, and a column of gaps is nothing.
    columns = [c if any(cell is not None for cell in c) else ["x", *c[1:]] for c in columns]
    names = [f"c{number}" for number in range(len(columns))]
    rows = [(*row, "end") for row in zip(*columns, strict=True)]
    wanted = [[as_text(cell) for cell in row] for row in rows]
    for write in (files.parquet, files.sav, files.dta):
        table = read(write([*names, "last"], rows))
        assert table.head(9) == wanted, write.__name__


@given(columns=st.lists(columns, min_size=1, max_size=4))
@settings(max_examples=20)
def test_a_sheet_reads_back_equal(columns: list[list[Any]]) -> None:
    names = [f"c{number}" for number in range(len(columns))]
    rows = [(*row, "end") for row in zip(*columns, strict=True)]
    book = openpyxl.Workbook()
    page = book.active
    page.append([*names, "last"])
    for row in rows:
        page.append([None] * len(row))
        for place, cell in enumerate(row, start=1):
            page.cell(page.max_row, place).value = cell
            if isinstance(cell, str):
                page.cell(page.max_row, place).data_type = "s"  # "=1" is a text here, no formula
    form = FileFormat(FileKind.EXCEL, WorkbookFormat("Sheet"))
    table = read_table(io.BytesIO(files.saved(book)), form)
    for got, row in zip(table.head(9), rows, strict=True):
        for text, cell in zip(got, row, strict=True):
            if isinstance(cell, float):
                assert text is not None
                assert float(text) == pytest.approx(cell, rel=1e-14)
            else:
                assert text == as_text(cell)


@given(
    columns=st.lists(st.lists(st.none() | texts, min_size=4, max_size=4), min_size=2, max_size=4)
)
@settings(max_examples=20)
def test_a_csv_reads_back_equal_packed_or_not(columns: list[list[str | None]]) -> None:
    names = [f"c{number}" for number in range(len(columns))]
    rows = [list(row) for row in zip(*columns, strict=True)]
    table = Table.from_rows(names, rows)
    content = csv_bytes(table)
    wanted = read_table(io.BytesIO(content), FileFormat(FileKind.CSV, CsvFormat())).head(9)
    packed = read_table(
        io.BytesIO(files.gzipped(content)), FileFormat(FileKind.CSV_GZIP, CsvFormat())
    )
    assert packed.head(9) == wanted
    # Formulas are neutralized on the way out; everything else is as it was.
    for got, row in zip(wanted, rows, strict=True):
        assert [text and text.removeprefix("'") for text in got] == [
            text and text.removeprefix("'") for text in row
        ]


def test_labels_are_shown_or_codes_are_kept() -> None:
    labels = {"sex": {1: "female", 2: "male"}, "ward": {1: "other", 2: "other", 3: "7"}}
    content = files.sav(("sex", "ward"), [(1, 1), (2, 2), (9, 3)], variable_value_labels=labels)
    stream = io.BytesIO(content)
    found = detect_file(stream)
    assert found.evidence["labels"] == "2 columns have labels"
    shown = read_table(stream, found.format)
    assert shown.head(9) == [["female", "other (1)"], ["male", "other (2)"], ["9", "7 (3)"]]
    codes = FileFormat(FileKind.SPSS, StatisticsFormat(labels=False))
    assert read_table(stream, codes).head(9) == [["1", "1"], ["2", "2"], ["9", "3"]]


def test_labels_of_stata_are_shown() -> None:
    content = files.dta(("sex",), [(1,), (2,)], variable_value_labels={"sex": {1: "f", 2: "m"}})
    assert read(content).head(9) == [["f"], ["m"]]


def test_missing_values_an_spss_file_declares_are_gaps() -> None:
    content = files.sav(("age",), [(39,), (999,)], missing_ranges={"age": [999]})
    assert read(content).head(9) == [["39"], [None]]


def test_long_files_are_read_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deid_portal.engine.files.statistics_files.ROWS_PER_READ", 3)
    monkeypatch.setattr("deid_portal.engine.files.parquet.ROWS_PER_BATCH", 3)
    rows = [(f"p{number}", number % 4) for number in range(9)]
    for write in (files.sav, files.dta, files.parquet):
        table = read(write(("id", "n"), rows))
        assert table.head(99) == [[name, str(number)] for name, number in rows]


@pytest.mark.parametrize("kind", [kind for kind in WRITTEN if kind != FileKind.CSV_GZIP])
def test_reading_can_be_stopped(kind: FileKind) -> None:
    def stop(*args: object, **figures: object) -> None:
        raise Cancelled

    stream = io.BytesIO(WRITTEN[kind])
    with pytest.raises(Cancelled):
        read_table(stream, detect_file(stream).format, stop)


def test_moments_keep_their_time_and_days_have_none() -> None:
    rows = [(datetime(2026, 3, 1), datetime(2026, 3, 1, 10, 30)), (datetime(2026, 3, 2), None)]
    wanted = [["2026-03-01", "2026-03-01 10:30:00"], ["2026-03-02", None]]
    for write in (files.parquet, files.dta):
        table = read(write(("day", "moment"), rows))
        assert table.head(9) == wanted
        assert [column.type for column in table.columns] == [ColumnType.DATE] * 2


# What a steward may correct


def test_a_number_with_zeros_in_front_stays_text_until_told() -> None:
    stream = io.BytesIO(b"no,age\n007,1\n7,2\n012,3\n")
    form = detect_file(stream).format
    assert read_table(stream, form)["no"].type == ColumnType.TEXT
    assert preview_file(stream, form).columns[0].leading_zeros == 2
    agreed = FileFormat(form.kind, form.settings, {0: TypeChoice.INTEGER})
    column = read_table(stream, agreed)["no"]
    assert column.type == ColumnType.INTEGER
    assert list(column.cells()) == ["7", "7", "12"]
    assert column.values == ("7", "12")


@pytest.mark.parametrize(
    ("cells", "decimal", "kind", "read_as"),
    [
        (
            ["35.173,27", "990,5", "1.234.567"],
            ",",
            ColumnType.NUMBER,
            ["35173,27", "990,5", "1234567"],
        ),
        (["35\u202f173,27", "8"], ",", ColumnType.NUMBER, ["35173,27", "8"]),
        (["-35,173.27", "12.5"], ".", ColumnType.NUMBER, ["-35173.27", "12.5"]),
        (["1'204", "88", "1'000'000"], ".", ColumnType.INTEGER, ["1204", "88", "1000000"]),
        # Codes: all of one length, two signs, a zero in front, groups of another size.
        (["123 456", "234 567"], ".", ColumnType.TEXT, ["123 456", "234 567"]),
        (["12.345,5", "1 000,5"], ",", ColumnType.TEXT, ["12.345,5", "1 000,5"]),
        (["012.345,5", "1.000,5"], ",", ColumnType.TEXT, ["012.345,5", "1.000,5"]),
        (["030 1234", "1 000"], ".", ColumnType.TEXT, ["030 1234", "1 000"]),
    ],
)
def test_digits_in_groups_of_three_are_numbers(
    cells: list[str], decimal: str, kind: ColumnType, read_as: list[str]
) -> None:
    content = "".join(f"{number};{cell};1{decimal}5\n" for number, cell in enumerate(cells))
    stream = io.BytesIO(f"no;amount;other\n{content}".encode())
    form = detect_file(stream).format
    column = read_table(stream, form)["amount"]
    assert column.decimal == decimal
    assert column.type == kind
    assert list(column.cells()) == read_as
    preview = preview_file(stream, form)
    assert preview.columns[1].type == preview.columns[1].detected == kind
    assert preview.columns[1].has_thousands == (kind != ColumnType.TEXT)
    assert [row[1] for row in preview.rows] == read_as
    kept = FileFormat(form.kind, form.settings, {1: TypeChoice.TEXT})
    assert list(read_table(stream, kept)["amount"].cells()) == cells


def test_a_late_code_makes_the_whole_column_text() -> None:
    rows = "".join(f"{number};1.{number % 900 + 100},{number}\n" for number in range(1500))
    stream = io.BytesIO(f"no;amount\n{rows}1500;A1\n".encode())
    column = read_table(stream, detect_file(stream).format)["amount"]
    assert column.type == ColumnType.TEXT
    assert column.values[0] == "1.100,0"


def test_a_number_can_be_kept_as_text() -> None:
    stream = io.BytesIO(b"no,age\n7,1\n8,2\n")
    form = FileFormat(FileKind.CSV, CsvFormat(), {0: TypeChoice.TEXT})
    assert read_table(stream, form)["no"].type == ColumnType.TEXT


def test_an_undecidable_date_is_asked_about() -> None:
    stream = io.BytesIO(b"day,age\n03/04/2020,1\n05/06/2020,2\n")
    form = detect_file(stream).format
    doubt = preview_file(stream, form).columns[0]
    assert doubt.either_order
    assert doubt.date_format == "%d/%m/%Y"
    month_first = FileFormat(form.kind, form.settings, {0: TypeChoice.MONTH_FIRST})
    assert list(read_table(stream, month_first)["day"].cells()) == ["2020-03-04", "2020-05-06"]
    day_first = FileFormat(form.kind, form.settings, {0: TypeChoice.DAY_FIRST})
    assert list(read_table(stream, day_first)["day"].cells()) == ["2020-04-03", "2020-06-05"]


def test_a_type_that_does_not_fit_is_refused_without_a_value() -> None:
    form = FileFormat(FileKind.CSV, CsvFormat(), {1: TypeChoice.INTEGER})
    with pytest.raises(InvalidTable, match="Column 2 cannot be read as a whole number: 1 value"):
        read_table(io.BytesIO(b"a,b\n1,2\n3,secret\n"), form)


def test_yes_and_no_are_seen_in_a_long_column() -> None:
    stream = io.BytesIO(b"a,b\n" + b"true,1\nfalse,2\n" * 20)
    preview = preview_file(stream, detect_file(stream).format)
    assert preview.columns[0].type == ColumnType.BOOLEAN


@pytest.mark.parametrize(
    "values",
    [
        pa.array([253_402_300_800_000_000, 0], pa.timestamp("us")),  # the year 10000
        pa.array([-62_135_596_800_000_001, 0], pa.timestamp("us", "UTC")),  # the year 0
        pa.array([2_932_897, 0], pa.date32()),
        pa.array([9_000_000_000_000_000_000, 0], pa.duration("s")),
        pa.array([0], pa.timestamp("us", "Nowhere/Land")),
    ],
)
def test_a_moment_outside_the_calendar_is_refused_by_column(values: pa.Array) -> None:
    stream = io.BytesIO()
    pa.parquet.write_table(pa.table({"id": list(range(len(values))), "when": values}), stream)
    with pytest.raises(InvalidTable, match="Column 2 holds a date or a time that no calendar has"):
        read_table(stream, detect_file(stream).format)


def test_bytes_of_any_kind_are_refused_by_column() -> None:
    for kind in (pa.binary(), pa.large_binary(), pa.binary(2)):
        stream = io.BytesIO()
        pa.parquet.write_table(pa.table({"raw": pa.array([b"xy"], kind)}), stream)
        with pytest.raises(InvalidTable, match="Column 1 holds lists, records or bytes"):
            read_table(stream, detect_file(stream).format)
