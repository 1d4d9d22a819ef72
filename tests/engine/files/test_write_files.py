"""Whatever we write reads back equal, in every kind of file; what cannot is refused."""

import io
from datetime import date
from decimal import Decimal

import openpyxl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Column, ColumnType, InvalidTable, Table
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.csv.writer import neutralize
from deid_portal.engine.files.file_format import (
    FileFormat,
    FileKind,
    ParquetFormat,
    StatisticsFormat,
    WorkbookFormat,
)
from deid_portal.engine.files.table_reader import detect_file, read_table
from deid_portal.engine.files.writer import plain_names, write_table
from tests.engine.tables import csv_bytes

FORMATS = {
    FileKind.CSV: CsvFormat(),
    FileKind.EXCEL: WorkbookFormat("Table"),
    FileKind.PARQUET: ParquetFormat(),
    FileKind.SPSS: StatisticsFormat(),
    FileKind.STATA: StatisticsFormat(),
}


def written(table: Table, kind: FileKind) -> bytes:
    stream = io.BytesIO()
    write_table(table, stream, kind)
    return stream.getvalue()


def read_back(content: bytes, kind: FileKind) -> Table:
    return read_table(io.BytesIO(content), FileFormat(kind, FORMATS[kind]))


def is_same(column: Column, one: str | None, other: str | None, *, is_csv: bool) -> bool:
    """Texts are the same; numbers and midnights may be written differently, if they are equal."""
    if one is None or other is None:
        return one is other
    if column.type in (ColumnType.INTEGER, ColumnType.NUMBER):
        return Decimal(one) == Decimal(other)
    if column.type == ColumnType.DATE:
        return one.removesuffix(" 00:00:00") == other.removesuffix(" 00:00:00")
    return (neutralize(one) if is_csv else one) == other


def check_same(table: Table, again: Table, kind: FileKind) -> None:
    is_csv = kind == FileKind.CSV
    assert again.names == table.names
    assert again.rows == table.rows
    for old, new in zip(table.columns, again.columns, strict=True):
        pairs = zip(old.cells(), new.cells(), strict=True)
        assert all(is_same(old, one, other, is_csv=is_csv) for one, other in pairs), old.name


signs = st.characters(codec="utf-8", exclude_characters="\0")
texts = st.text(signs, min_size=1, max_size=40)
columns = st.sampled_from(
    [
        texts,
        st.sampled_from(["=1+1", "@x", "-cmd", "+49 30", "'quoted", "#N/A", "007", "1,5", "TRUE"]),
        st.integers(-(10**17), 10**17).map(str),
        st.integers(0, 99).map(str),
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.decimals(-1000, 1000, places=2).map(str),
        st.dates(date(1800, 1, 1)).map(str),
        st.datetimes().map(lambda moment: moment.isoformat(" ", "seconds")),
        st.sampled_from(["true", "false"]),
        st.sampled_from(["yes", "no"]),
    ]
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    rows = draw(st.integers(1, 5))
    kinds = draw(st.lists(columns, min_size=1, max_size=4))
    made = []
    for number, kind in enumerate(kinds):
        cells = [draw(st.none() | kind) for _ in range(rows)]
        made.append(Column.from_cells(f"c{number}", cells))
    return Table(tuple(made))


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=30)
@given(table=tables())
def test_any_table_reads_back_equal_or_is_refused(kind: FileKind, table: Table) -> None:
    try:
        content = written(table, kind)
    except InvalidTable:
        assert kind in (FileKind.EXCEL, FileKind.SPSS)
        return
    assert detect_file(io.BytesIO(content)).format.kind == kind
    check_same(table, read_back(content, kind), kind)


@settings(max_examples=30)
@given(table=tables(), delimiter=st.sampled_from("\t;|"))
def test_any_delimiter_reads_back_equal(table: Table, delimiter: str) -> None:
    form = FileFormat(FileKind.CSV, CsvFormat(delimiter))
    again = read_table(io.BytesIO(csv_bytes(table, delimiter)), form)
    check_same(table, again, FileKind.CSV)


PEOPLE = Table.from_rows(
    ["name", "age", "weight", "born", "smokes"],
    [
        ["Ann", "39", "61.5", "1987-03-01", "true"],
        ["=Bob", "50", "70.0", "1976-11-30", "false"],
        [None, None, None, None, None],
        ["Cid", "7", "80", "2001-01-01", "true"],
    ],
)


@pytest.mark.parametrize("kind", [FileKind.PARQUET, FileKind.SPSS, FileKind.STATA])
def test_numbers_and_days_are_written_as_such(kind: FileKind) -> None:
    again = read_back(written(PEOPLE, kind), kind)
    assert [column.type for column in again.columns][1:4] == [
        ColumnType.INTEGER,
        ColumnType.NUMBER,
        ColumnType.DATE,
    ]
    assert again["born"].values[0] == "1987-03-01"


def test_no_cell_of_a_workbook_is_a_formula() -> None:
    table = Table.from_rows(["=a", "b"], [["=1+1", "x"], ['=HYPERLINK("http://x")', "@y"]])
    book = openpyxl.load_workbook(io.BytesIO(written(table, FileKind.EXCEL)))
    cells = [cell for row in book["Table"].iter_rows() for cell in row]
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.quotePrefix for cell in cells if str(cell.value)[0] in "=@")
    assert cells[2].value == "=1+1"


def test_names_that_a_program_cannot_take_become_labels() -> None:
    table = Table.from_rows(["native-country", "1st", "all", "native country"], [["x"] * 4])
    assert plain_names(table.names) == ["native_country", "v1st", "all_3", "native_country_4"]
    _, about = pyreadstat.read_sav(io.BytesIO(written(table, FileKind.SPSS)))
    assert about.column_labels == list(table.names)


@pytest.mark.parametrize(
    ("cell", "kind", "sentence"),
    [
        ("bell \x07", FileKind.EXCEL, "Column 1 holds control characters"),
        ("one\rtwo", FileKind.EXCEL, "Column 1 holds control characters"),
        ("_x0041_", FileKind.EXCEL, "Column 1 holds control characters"),
        ("x" * 40_000, FileKind.EXCEL, "Column 1 holds a very long text"),
        ("blank at the end ", FileKind.SPSS, "an SPSS file cannot hold"),
        ("x" * 40_000, FileKind.SPSS, "holds a very long text"),
        ("x" * 3_000, FileKind.STATA, "a Stata file cannot hold"),
        ("x", FileKind.SAS, "cannot be written as a SAS data file; choose CSV"),
    ],
)
def test_what_would_be_changed_is_refused(cell: str, kind: FileKind, sentence: str) -> None:
    with pytest.raises(InvalidTable, match=sentence) as refusal:
        written(Table.from_rows(["a"], [[cell]]), kind)
    assert cell not in str(refusal.value) or cell == "x"


def test_a_row_of_gaps_is_not_lost_in_a_workbook() -> None:
    with pytest.raises(InvalidTable, match="row without a single value"):
        written(PEOPLE, FileKind.EXCEL)
