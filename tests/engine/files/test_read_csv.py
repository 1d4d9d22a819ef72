"""Every broken file gets one sentence with a row or column number and never a cell."""

import csv
import hashlib
import io
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import Cancelled, InvalidTable, Table
from deid_portal.engine.files.csv import encoding, reader
from deid_portal.engine.files.csv.format import DELIMITERS
from deid_portal.engine.files.csv.reader import CsvFormat, preview_csv, read_csv
from deid_portal.engine.files.csv.writer import neutralize
from tests.engine.tables import ADULT, csv_bytes


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
        (b"a,b\n1,2\nsecret\n", "Row 3 has 1 cell where 2 are expected."),
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
    monkeypatch.setattr(reader, "BLOCK_BYTES", 64)
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


def read_slowly(text: str, columns: int) -> list[list[str | None]] | str:
    """Read sign by sign what stands below the names; return the rows or what is wrong."""
    rows: list[list[str | None]] = []
    at = 0
    while at < len(text):
        if columns > 1 and text[at] in "\r\n":
            at += 1
            continue
        row: list[str | None] = []
        while True:
            cell = ""
            if text[at : at + 1] == '"':
                at += 1
                while text[at : at + 1] != '"' or text[at : at + 2] == '""':
                    if at >= len(text):
                        return f"Row {len(rows) + 2} opens a quote that is never closed"
                    cell += text[at]
                    at += 2 if text[at] == '"' else 1
                at += 1
            while at < len(text) and text[at] not in ",\r\n":
                cell += text[at]
                at += 1
            row.append(cell or None)
            if text[at : at + 1] != ",":
                break
            at += 1
        if len(row) != columns:
            cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            verb = "is" if columns == 1 else "are"
            return f"Row {len(rows) + 2} has {cells} where {columns} {verb} expected."
        rows.append(row)
        at += 2 if text[at : at + 2] == "\r\n" else 1
    return rows or "no rows below"


pieces = st.sampled_from(["a", "b", "12345678", '"', '"', '""', ",", ",", "\n", "\r", "\r\n", "é"])


@settings(max_examples=400, deadline=None)
@given(
    st.lists(pieces, max_size=40).map("".join),
    st.sampled_from(["a", "a,b", "a,b,c"]),
    st.sampled_from([1, 2, 3]),
    st.sampled_from([1, 7, 64, 1 << 20]),
)
def test_reads_any_text_as_reading_sign_by_sign_does(
    text: str, names: str, threads: int, block: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BLOCK_BYTES", block)
        try:
            stream = io.BytesIO(f"{names}\n{text}".encode())
            found: list[list[str | None]] | str
            found = read_csv(stream, CsvFormat(), threads=threads).head(100)
        except InvalidTable as refusal:
            found = str(refusal)
    expected = read_slowly(text, names.count(",") + 1)
    if isinstance(expected, str):
        assert expected in found
    else:
        assert found == expected


names = st.lists(cells.filter(str.strip), min_size=1, max_size=4, unique=True)


@settings(max_examples=100, deadline=None)
@given(names, st.data(), st.sampled_from(DELIMITERS), st.sampled_from([1, 2]))
def test_reads_back_what_we_write(
    names: list[str], data: st.DataObject, delimiter: str, threads: int
) -> None:
    row = st.lists(st.none() | cells.filter(bool), min_size=len(names), max_size=len(names))
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    table = Table.from_rows(names, [[tame(cell) for cell in row] for row in rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BLOCK_BYTES", 16)
        stream = io.BytesIO(csv_bytes(table, delimiter))
        back = read_csv(stream, CsvFormat(delimiter=delimiter), threads=threads)
    assert back.head(100) == table.head(100)


def tame(cell: str | None) -> str | None:
    """Return the cell as it is written: what a spreadsheet would run has an apostrophe."""
    return None if cell is None else neutralize(cell)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_codes_do_not_depend_on_the_number_of_threads(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BLOCK_BYTES", 256)
    content = b"a,b\n" + b"".join(b"%d,%d\n" % (n * n % 997, n % 7) for n in range(2000))
    table = read_csv(io.BytesIO(content), CsvFormat(missing=("0",)), threads=threads)
    expected = [str(n * n % 997) if n * n % 997 else None for n in range(2000)]
    assert table["a"].values == tuple(dict.fromkeys(expected))
    assert [table["a"].values[code] for code in table["a"].codes] == expected


class Pipe(io.BytesIO):
    """A stream whose length nobody knows."""

    def seek(self, *_: object) -> int:
        raise io.UnsupportedOperation


@pytest.mark.parametrize("stream", [io.BytesIO, Pipe])
@pytest.mark.parametrize(
    "values",
    [
        pytest.param(lambda n: n, id="all different"),
        pytest.param(lambda n: min(n, 5000), id="different at first, then all alike"),
        pytest.param(lambda n: max(n - 15_000, 0), id="alike at first, then all different"),
        pytest.param(lambda n: n * n % 4999, id="many that come again"),
    ],
)
def test_a_column_of_very_many_texts_is_read_whatever_its_beginning_promises(
    values: Callable[[int], int], stream: type[io.BytesIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "BLOCK_BYTES", 1 << 12)
    monkeypatch.setattr(encoding, "LARGE_TABLE", 1 << 9)
    cells = [f"person {values(n)}" for n in range(20_000)]
    content = "\n".join(["name,x", *(f"{cell},1" for cell in cells)]).encode()
    table = read_csv(stream(content), CsvFormat(), threads=2)
    assert table["name"].values == tuple(dict.fromkeys(cells))
    assert list(table["name"].cells()) == cells


def test_hundreds_of_words_for_a_gap_are_one_value() -> None:
    words = tuple(f"unknown {number}" for number in range(900))
    content = "a,b\n" + "".join(f"{word},1\n" for word in (*words, "known"))
    table = read_csv(io.BytesIO(content.encode()), CsvFormat(missing=words))
    assert table["a"].values == (None, "known")


def test_several_words_for_a_gap_are_one_value() -> None:
    table = read_csv(io.BytesIO(b"a,b\n?,1\nNA,1\n,1\nx,1\n"), CsvFormat(missing=("?", "NA")))
    assert table["a"].values == (None, "x")
    assert table["a"].codes.tolist() == [0, 0, 0, 1]


def test_quote_inside_a_cell_is_plain() -> None:
    assert read(b'a,b\n5"" pipe,1\n6" pipe,2\n') == [['5"" pipe', "1"], ['6" pipe', "2"]]


def test_cell_longer_than_a_block_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "BLOCK_BYTES", 64)
    long = "x" * 5000
    assert read(f'a,b\n{long},1\n"{long}""\n",2\n'.encode()) == [[long, "1"], [long + '"\n', "2"]]


def test_first_broken_row_is_named_though_a_later_one_is_broken_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reader, "BLOCK_BYTES", 32)
    content = b"a,b\n" + b"1,2\n" * 20 + b"1\n" + b"1,2\n" * 5 + b"1,\0\n"
    with pytest.raises(InvalidTable, match="Row 22 has 1 cell "):
        read_csv(io.BytesIO(content), CsvFormat(), threads=3)


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


def test_more_texts_than_offsets_can_tell_apart_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(encoding, "MOST_BYTES", 5000)
    rows = b"".join(b"1,%08d\n" % number for number in range(2000))
    with pytest.raises(InvalidTable, match="different values of column 2 have more than 4 GB"):
        read(b"a,b\n" + rows)


def test_first_broken_row_of_a_block_is_named_whatever_is_wrong_with_it() -> None:
    with pytest.raises(InvalidTable, match="Row 3 holds a character that is not UTF-8"):
        read(b"a,b\n1,2\n\xff,2\n1\n")
    with pytest.raises(InvalidTable, match="Row 3 has 1 cell "):
        read(b"a,b\n1,2\n1\n\xff,2\n")


@pytest.mark.parametrize("words", [(), ("NA",), tuple("abcdefghijklmnopqrstuvwxyz")])
def test_gaps_stand_where_the_first_of_them_stood(words: tuple[str, ...]) -> None:
    content = b"x,y\nk1,1\nNA,1\n,1\nz,1\nk1,1\n"
    column = read_csv(io.BytesIO(content), CsvFormat(missing=words))["x"]
    cells = ["k1", "NA", "", "z", "k1"]
    expected = [None if cell in ("", *words) else cell for cell in cells]
    assert list(column.cells()) == expected
    assert column.values == tuple(dict.fromkeys(expected))
