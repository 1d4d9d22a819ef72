"""Every broken file gets one sentence with a row or column number and never a cell."""

import csv
import hashlib
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Cancelled, InvalidTable, reading
from deid_portal.engine.reading import CsvFormat, preview_csv, read_csv
from tests.engine.tables import ADULT


def read(content: bytes, **changes: object) -> list[list[str | None]]:
    return read_csv(io.BytesIO(content), CsvFormat.from_document(dict(changes))).head(10_000)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is empty."),
        (b"\xef\xbb\xbf", "The file is empty."),
        (b"\n\r\n", "The file is empty."),
        (b"a,b\n", "no rows below"),
        (b"a,b", "no rows below"),
        (b"a,b\n1,2\nsecret,2,3\n", "Row 3 has 3 cells where 2 are expected."),
        (b"a,b\n1,2\nsecret\n", "Row 3 has 1 cells where 2 are expected."),
        (b'a,b\n"x\ny",2\n1,secret,3\n', "Row 3 has 3 cells where 2 are expected."),
        (b"a,b,b\nsecret,2,3\n", "Columns 2 and 3 have the same name"),
        (b"a, ,c\n1,2,3\n", "Column 2 has no name"),
        (b"a,b\n1,2\n1,se\0cret\n", "Row 3 holds a NUL byte"),
        (b"a,\0\n1,2\n", "Row 1 holds a NUL byte"),
        (b"a,b\n1,2\nsecret\xff,3\n", "Row 3 holds a character that is not UTF-8"),
        (b"a,\xff\n1,2\n", "Row 1 holds a character that is not UTF-8"),
        (b'a,b\n1,2\n1,"secret\n3,4\n', "Row 3 opens a quote that is never closed"),
        (b"PK\x03\x04....xl/workbook.xml", "This is an Excel workbook, not a CSV file."),
        (b"PK\x03\x04....other", "This is a ZIP archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Excel workbook"),
        (b"%PDF-1.7", "PDF document"),
        (b"PAR1....", "Parquet"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"\x89PNG\r\n", "picture"),
    ],
)
def test_broken_file_gets_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(InvalidTable, match=r"[.]$") as refusal:
        read(content)
    assert sentence in str(refusal.value)
    assert "secret" not in str(refusal.value)


def test_row_numbers_hold_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "BLOCK_BYTES", 64)
    good = b'"line\nbreak",x\n' * 100
    with pytest.raises(InvalidTable, match="Row 102 has 3 cells"):
        read(b"a,b\n" + good + b"1,2,3\n" + good)
    with pytest.raises(InvalidTable, match="Row 102 holds a NUL"):
        read(b"a,b\n" + good + b"1,\0\n" + good)
    with pytest.raises(InvalidTable, match="Row 102 opens a quote"):
        read(b"a,b\n" + good + b'1,"2\n' + b"3,4\n" * 100)


def test_wrong_encoding_names_the_byte_and_what_to_choose() -> None:
    with pytest.raises(InvalidTable, match="byte 7 does not fit; choose another, such as UTF-8"):
        read(b"a,b\n1,\x81\n", encoding="cp1252")


def test_unknown_encoding_is_refused() -> None:
    with pytest.raises(InvalidTable, match="encoding is not known"):
        CsvFormat(encoding="no-such-thing")


@pytest.mark.parametrize("changes", [{"delimiter": ""}, {"delimiter": '"'}, {"decimal": "x"}])
def test_meaningless_format_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(InvalidTable):
        CsvFormat(**changes)  # type: ignore[arg-type]


def test_too_many_columns_are_refused() -> None:
    wide = ",".join(f"c{number}" for number in range(2001)).encode()
    with pytest.raises(InvalidTable, match="2001 columns; at most 2000"):
        read(wide + b"\n" + wide)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_other_encodings_are_read(encoding: str) -> None:
    assert read("name,b\nZoë,1\n".encode(encoding), encoding=encoding) == [["Zoë", "1"]]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("last", [True, False])
def test_every_line_ending_is_read(ending: bytes, last: bool) -> None:
    content = ending.join([b"a,b", b"1,2", b"3,4"]) + (ending if last else b"")
    assert read(content) == [["1", "2"], ["3", "4"]]


def test_gap_is_an_empty_cell_or_a_word_of_the_format() -> None:
    assert read(b'a,b\n?,x\n,""\n', missing=("?",)) == [[None, "x"], [None, None]]
    assert read(b"a,b\n?,x\n") == [["?", "x"]]


def test_blank_line_is_skipped_but_is_a_gap_in_a_table_of_one_column() -> None:
    assert read(b"a,b\n1,2\n\n3,4\n\n") == [["1", "2"], ["3", "4"]]
    assert read(b"a\n1\n\n3\n") == [["1"], [None], ["3"]]


def test_file_without_names_gets_numbered_columns() -> None:
    table = read_csv(io.BytesIO(b"1,2\n3,4\n"), CsvFormat(has_header=False))
    assert table.names == ("column 1", "column 2")
    assert table.rows == 2


def test_leading_zeros_and_spaces_survive() -> None:
    assert read(b"a,b\n007, x \n") == [["007", " x "]]


def test_hash_is_that_of_the_file() -> None:
    table = read_csv(ADULT / "adult.csv", CsvFormat(delimiter=";"))
    content = (ADULT / "adult.csv").read_bytes()
    assert table.sha256 == hashlib.sha256(content).hexdigest()
    assert (table.rows, len(table.columns)) == (30162, 9)


def test_missing_file_is_refused_by_name(tmp_path: object) -> None:
    with pytest.raises(InvalidTable, match=r'no readable file "nothing.csv"'):
        read_csv(ADULT / "nothing.csv", CsvFormat())


def test_progress_can_stop_the_reading() -> None:
    def stop(done: int, total: int, phase: str, **figures: object) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_csv(io.BytesIO(b"a,b\n1,2\n"), CsvFormat(), stop)


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=8))
def test_reads_what_the_csv_module_writes(rows: list[list[str]]) -> None:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerows([["a", "b", "c"], *rows])
    expected = [[cell or None for cell in row] for row in rows]
    assert read(stream.getvalue().encode()) == expected


def test_preview_shows_first_rows_and_guesses_types() -> None:
    preview = preview_csv(
        io.BytesIO(b"id,n,when\n007,1,2020-01-01\n008,,2020-01-02\n"), CsvFormat(), 1
    )
    assert preview.names == ("id", "n", "when")
    assert preview.rows == [["007", "1", "2020-01-01"]]
    assert [type.value for type in preview.types] == ["text", "integer", "date"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "empty"),
        (b"a,b\n", "no rows below"),
        (b"a,b\n1,2,3\n", "Row 2 has 3 cells where 2"),
        (b"a,b\n1,\xff\n", "Row 2 holds a character that is not UTF-8"),
        (b"a,b\n1,\0\n", "Row 2 holds a NUL byte"),
    ],
)
def test_preview_refuses_like_reading(content: bytes, sentence: str) -> None:
    with pytest.raises(InvalidTable, match=sentence):
        preview_csv(io.BytesIO(content), CsvFormat())
