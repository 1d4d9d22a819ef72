"""Every file that is no table, or a broken one, gets one sentence and never a cell."""

import bz2
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from deid_portal.engine import InvalidTable
from deid_portal.engine.files import table_reader, workbook
from deid_portal.engine.files.csv import reader
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.file_format import FileFormat, FileKind
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.table_reader import (
    detect_file,
    list_row_problems,
    preview_file,
    read_table,
)
from tests.engine.files import files
from tests.engine.tables import csv_bytes

NAMES = ("name", "age")
ROWS = [(f"secret {number}", number) for number in range(300)]
CSV = b"name,age\n" + b"".join(b"secret %d,%d\n" % (n, n) for n in range(300))


def zipped(**parts: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/"), content)
    return stream.getvalue()


def tarred() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        link = tarfile.TarInfo("table.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return stream.getvalue()


def plain_tar() -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        link = tarfile.TarInfo("table.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return stream.getvalue()


def linked_zip(**parts: bytes) -> bytes:
    """An archive in which one part is a link to a file of the server."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/"), content)
        link = zipfile.ZipInfo("xl/worksheets/sheet1.xml")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    return stream.getvalue()


def repacked(part: str, change: Callable[[bytes], bytes]) -> bytes:
    """A workbook with one of its parts changed."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(files.xlsx(NAMES, ROWS))) as old,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name.endswith(part) else content)
    return stream.getvalue()


def locked() -> bytes:
    """A workbook with a password: an old office file whose list of parts says so."""
    return b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(99)


def wide(columns: int) -> bytes:
    names = ",".join(f"c{number}" for number in range(columns)).encode()
    return names + b"\n" + b",".join([b"secret"] * columns) + b"\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file is empty."),
        (files.gzipped(b""), "The file is empty."),
        (zipped(other=b"secret"), "This is a ZIP archive."),
        (zipped(**{"content.xml": b"secret"}), "OpenDocument"),
        (zipped(xl__workbook=b"", **{"xl/workbook.bin": b"secret"}), "binary Excel workbook"),
        (tarred(), "an archive of files"),
        (plain_tar(), "an archive of files"),
        (linked_zip(), "This is a ZIP archive."),
        (linked_zip(**{"xl/workbook.xml": b"<secret/>"}), "damaged or was cut short"),
        (bz2.compress(CSV), "an archive of files"),
        (lzma.compress(CSV), "an archive of files"),
        (b"7z\xbc\xaf\x27\x1c" + bytes(99), "an archive of files"),
        (b"Rar!\x1a\x07\x01" + bytes(99), "an archive of files"),
        (b"<!DOCTYPE html><table><td>secret</td></table>", "This is a web page."),
        (b'\xef\xbb\xbf<?xml version="1.0"?><a>secret</a>', "This is an XML file."),
        (b'[{"name": "secret"}, {"name": "x"}]', "This is a JSON file."),
        (b"MZ\x90\0" + bytes(99), "This is a program"),
        (files.gzipped(files.xlsx(NAMES, ROWS)), "packed file is not a CSV file"),
        (b"\xd0\xcf\x11\xe0" + bytes(999), "old kind (.xls)"),
        (locked(), "protected with a password"),
        (b"%PDF-1.7 secret", "PDF document"),
        (files.xlsx(NAMES, ROWS)[:-400], "cut short"),
        (files.parquet(NAMES, ROWS)[:-40], "cut short"),
        (files.gzipped(CSV)[:-90], "cut short"),
        (files.sav(NAMES, ROWS)[:400], "damaged, was cut short"),
        (files.dta(NAMES, ROWS)[:400], "damaged, was cut short"),
        (files.xpt(NAMES, ROWS)[:400], "damaged, was cut short"),
        (zipped(**{"xl/workbook.xml": b"<secret"}), "damaged or was cut short"),
        (wide(10_000), "10000 columns; at most 2000"),
        (files.xlsx([f"c{n}" for n in range(2001)], [["secret"] * 2001]), "2001 columns; at most"),
        (files.parquet([f"c{n}" for n in range(2001)], [["secret"] * 2001]), "2001 columns"),
        (files.sav([f"c{n}" for n in range(2001)], [[1.0] * 2001]), "2001 columns; at most 2000"),
        (b"a,b\nsecret,2\n" + b"1," + b"x" * 1_000_000 + b"\n", "Row 3"),
        (b"a,b\n1,2\n" + b'secret,"' + b"x,y\n" * 90, "Row 3 opens a quote that is never closed"),
        (b"a,b\n1,2\n" + b'secret,"' + b"x,y\n" * 900_00, "Row 3 opens a quote"),
        ("a,b\nsécret,2\n".encode() * 30_000 + b"s\xe9cret,3\n", "not UTF-8"),
        (b"a,b\n1,2,3\n", "Row 2 has 3 cells where 2 are expected."),
    ],
)
def test_a_bad_file_gets_one_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(InvalidTable, match=r"[.]$") as refusal:
        open_all_the_way(content)
    assert sentence in str(refusal.value)
    assert "secret" not in str(refusal.value)


def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in this process, where limits can be made lower than in life."""
    monkeypatch.setattr(table_reader, "KINDS_READ_APART", frozenset())


def open_all_the_way(content: bytes) -> None:
    stream = io.BytesIO(content)
    form = detect_file(stream).format
    preview_file(stream, form)
    read_table(stream, form)


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\nsecret,2\n" + b"1," + b"x" * 1_000_000 + b"\n",
        b"a,b\n" + b"secret,2\n" * 9 + b'1,"' + b"x" * 1_000_000 + b'"\n',
        files.parquet(("a",), [("x" * 1_000_000,)]),
    ],
)
def test_a_cell_nobody_typed_is_refused(content: bytes) -> None:
    stream = io.BytesIO(content)
    with pytest.raises(InvalidTable, match=r"more than 100,000 characters|never closed"):
        preview_file(stream, detect_file(stream).format)
    form = detect_file(stream).format
    with pytest.raises(InvalidTable, match="more than 100,000 characters"):
        read_table(stream, form)


def test_an_open_quote_shows_in_the_preview_with_its_row() -> None:
    for content in (
        b'a,b\n1,2\n"secret,3\n4,5\n',
        b'a,b\n1,2\n"secret,3\n' + b"4,5\n" * 90_000,
    ):
        form = detect_file(io.BytesIO(content)).format
        with pytest.raises(InvalidTable, match="Row 3 opens a quote that is never closed"):
            preview_file(io.BytesIO(content), form)


def test_an_open_quote_deep_in_the_file_shows_when_it_is_read() -> None:
    content = b"a,b\n" + b"1,2\n" * 200_000 + b'"secret,3\n' + b"4,5\n" * 9
    form = detect_file(io.BytesIO(content)).format
    assert preview_file(io.BytesIO(content), form)
    with pytest.raises(InvalidTable, match="Row 200002 opens a quote that is never closed"):
        read_table(io.BytesIO(content), form)


def test_two_encodings_in_one_file_are_said_in_the_preview() -> None:
    content = b"name,age\nAnn,1\n" + "Zoë,2\n".encode() + "José,3\n".encode("cp1252")
    form = detect_file(io.BytesIO(content)).format
    (note,) = preview_file(io.BytesIO(content), form).notes
    assert "row 3 is written in UTF-8" in note
    for alone in ("Zoë,2\n".encode(), "José,3\n".encode("cp1252")):
        form = detect_file(io.BytesIO(b"name,age\n" + alone)).format
        assert preview_file(io.BytesIO(b"name,age\n" + alone), form).notes == ()


def test_a_hollow_workbook_is_not_opened() -> None:
    """It shrinks to a thousandth: forty megabytes of blanks, or of rows without cells."""
    for filling in (b" " * (40 << 20), b"<row/>" * (8 << 20)):
        bomb = repacked("sheet1.xml", lambda xml, f=filling: xml.replace(b"</sheetData>", f))
        assert len(bomb) < 200_000
        with pytest.raises(InvalidTable, match="far larger"):
            detect_file(io.BytesIO(bomb))


def test_a_sheet_with_more_rows_than_there_can_be_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here(monkeypatch)
    monkeypatch.setattr(workbook, "MOST_ROWS", 400)
    many = b"<row/>" * 200 + b"</sheetData>"
    bomb = repacked("sheet1.xml", lambda xml: xml.replace(b"</sheetData>", many))
    with pytest.raises(InvalidTable, match="far larger"):
        open_all_the_way(bomb)


def test_a_workbook_that_lies_about_its_size_is_damaged() -> None:
    """Its list of parts says five thousand bytes where fifty megabytes come out."""
    bomb = bytearray(repacked("sheet1.xml", lambda xml: xml + b" " * (50 << 20)))
    place = bomb.rindex(b"xl/worksheets/sheet1.xml") - 46
    assert bomb[place : place + 4] == b"PK\x01\x02"
    bomb[place + 24 : place + 28] = (5000).to_bytes(4, "little")
    with pytest.raises(InvalidTable, match=r"damaged|far larger"):
        open_all_the_way(bytes(bomb))


def test_a_small_parquet_file_of_very_many_rows_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here(monkeypatch)
    monkeypatch.setattr(reader, "MOST_ROWS", 1_000_000)
    content = io.BytesIO()
    column = pa.array(["x"]).dictionary_encode().take(pa.array(np.zeros(1_000_001, np.int32)))
    pa.parquet.write_table(pa.table({"a": column}), content)
    assert len(content.getvalue()) < 10_000
    with pytest.raises(InvalidTable, match="1,000,001 rows; at most 1,000,000"):
        open_all_the_way(content.getvalue())


def test_formulas_are_kept_as_text_and_cannot_run_when_they_leave() -> None:
    content = b"name,note\nAnn,=1+1\nBob,@x\nCid,-cmd\nDan,-5\n"
    table = read_table(io.BytesIO(content), detect_file(io.BytesIO(content)).format)
    assert [row[1] for row in table.head(4)] == ["=1+1", "@x", "-cmd", "-5"]
    assert csv_bytes(table).splitlines()[1:] == [b"Ann,'=1+1", b"Bob,'@x", b"Cid,'-cmd", b"Dan,-5"]


def test_a_workbook_that_unpacks_to_gigabytes_is_not_opened() -> None:
    """Its sheet is 20 MB of spaces here, packed to 20 KB, and the limit lower than in life."""
    bomb = zipped(**{"xl/workbook.xml": b"", "xl/worksheets/sheet1.xml": b" " * (20 << 20)})
    assert len(bomb) < 30_000
    with pytest.raises(InvalidTable, match="far larger"):
        detect_file(io.BytesIO(bomb), limits=ReadingLimits(unpacked_mb=10))


def test_a_workbook_with_a_mountain_of_texts_is_not_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here(monkeypatch)
    monkeypatch.setattr(workbook, "MOST_UNPACKED_TEXTS", 1 << 20)
    listed = (
        b'<Types><Override PartName="/xl/texts.xml" ContentType="x.sharedStrings+xml"/></Types>'
    )
    texts = b"<sst>" + b" " * (2 << 20) + b"</sst>"
    bomb = zipped(**{"xl/workbook.xml": b"", workbook.CONTENTS: listed, "xl/texts.xml": texts})
    with pytest.raises(InvalidTable, match="far larger"):
        open_all_the_way(bomb)


def test_a_packed_csv_that_grows_beyond_all_measure_is_given_up() -> None:
    bomb = io.BytesIO(files.gzipped(b"a,b\n" + b"1,2\n" * 1_000_000))
    form, limits = detect_file(bomb).format, ReadingLimits(unpacked_mb=1)
    for read in (read_table, list_row_problems):
        with pytest.raises(InvalidTable, match=r"larger than 1 MB, the limit here"):
            read(bomb, form, limits=limits)
    assert read_table(bomb, form, limits=ReadingLimits(unpacked_mb=0)).rows == 1_000_000


def test_a_packed_csv_of_very_many_rows_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of a byte each: the text is small, what is known of every row is not."""
    monkeypatch.setattr(reader, "MOST_ROWS", 1000)
    with pytest.raises(InvalidTable, match="rows; at most 1,000 can be read"):
        open_all_the_way(files.gzipped(b"a\n" + b"1\n" * 5000))


def test_a_parquet_column_of_lists_is_refused_by_number() -> None:
    with pytest.raises(InvalidTable, match="Column 2 holds lists"):
        open_all_the_way(files.parquet(("a", "b"), [("x", ["secret"])]))


def test_a_wide_row_is_no_long_cell() -> None:
    rows = [",".join([f"{number:0100d}" for number in range(2000)])] * 3
    content = "\n".join([",".join(f"c{n}" for n in range(2000)), *rows, ""]).encode()
    form = FileFormat(FileKind.CSV, CsvFormat())
    assert len(preview_file(io.BytesIO(content), form).columns) == 2000
