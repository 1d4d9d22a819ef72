"""Small files that want to become large, or to make the portal open others.

Each is made so that it really holds what it is about. "In little memory" is what the system allows
the process that reads: where that was not enough, the sentence would say so.
"""

import gzip
import io
import json
import socket
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from deid_portal.engine import Column, EngineError, InvalidTable, Plan
from deid_portal.engine.files import workbook
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from deid_portal.engine.networks.files.reader import read_network
from deid_portal.engine.table.table import Table
from deid_portal.engine.taxonomies import parse_json

LITTLE = ReadingLimits(unpacked_mb=256, memory_mb=250, minutes=2)
SHEET, WORKBOOK = "xl/worksheets/sheet1.xml", "xl/workbook.xml"
TEXTS, STYLES = "xl/sharedStrings.xml", "xl/styles.xml"
TYPES, LINKS = "[Content_Types].xml", "xl/_rels/workbook.xml.rels"
PARTS = [SHEET, WORKBOOK, TEXTS, STYLES, TYPES, LINKS]


def read_all(content: bytes, limits: ReadingLimits = LITTLE) -> Table:
    stream = io.BytesIO(content)
    form = detect_file(stream, limits=limits).format
    preview_file(stream, form, limits=limits)
    return read_table(stream, form, limits=limits)


MAIN = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = b"http://schemas.openxmlformats.org/package/2006"
SPREADSHEET = b"application/vnd.openxmlformats-officedocument.spreadsheetml"
HEAD = b'<?xml version="1.0"?>'
BOOK = {
    TYPES: b'%s<Types xmlns="%s/content-types">'
    % (HEAD, PACKAGE)
    + b'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.'
    b'relationships+xml"/>'
    + b"".join(
        b'<Override PartName="/xl/%s.xml" ContentType="%s.%s+xml"/>' % (part, SPREADSHEET, kind)
        for part, kind in [
            (b"workbook", b"sheet.main"),
            (b"worksheets/sheet1", b"worksheet"),
            (b"sharedStrings", b"sharedStrings"),
            (b"styles", b"styles"),
        ]
    )
    + b"</Types>",
    "_rels/.rels": b'%s<Relationships xmlns="%s/relationships"><Relationship Id="a" '
    b'Type="%s/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    % (HEAD, PACKAGE, OFFICE),
    LINKS: b'%s<Relationships xmlns="%s/relationships">' % (HEAD, PACKAGE)
    + b"".join(
        b'<Relationship Id="r%d" Type="%s/%s" Target="%s.xml"/>' % (number, OFFICE, kind, part)
        for number, (kind, part) in enumerate(
            [
                (b"worksheet", b"worksheets/sheet1"),
                (b"sharedStrings", b"sharedStrings"),
                (b"styles", b"styles"),
            ]
        )
    )
    + b"</Relationships>",
    WORKBOOK: b'%s<workbook %s xmlns:r="%s"><sheets><sheet name="Ann" sheetId="1" r:id="r0"/>'
    b"</sheets></workbook>" % (HEAD, MAIN, OFFICE),
    STYLES: b"%s<styleSheet %s></styleSheet>" % (HEAD, MAIN),
    TEXTS: b"%s<sst %s><si><t>name</t></si><si><t>Ann</t></si></sst>" % (HEAD, MAIN),
    SHEET: b'%s<worksheet %s><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row>'
    b'<row r="2"><c r="A2" t="s"><v>1</v></c></row><row r="3"><c r="A3" t="inlineStr"><is>'
    b"<t>Ann</t></is></c></row></sheetData></worksheet>" % (HEAD, MAIN),
}


def workbook_with(changed: dict[str, bytes] | None = None) -> bytes:
    """A small workbook, with other content for some of its parts."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        for part, content in {**BOOK, **(changed or {})}.items():
            book.writestr(part, content)
    return stream.getvalue()


def test_the_workbook_that_is_changed_below_is_sound() -> None:
    table = read_all(workbook_with())
    assert (table.names, table.head(2)) == (("name",), [["Ann"], ["Ann"]])


def part_of(content: bytes, part: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        return book.read(part)


def with_document_type(part: str, declared: bytes, used: bytes) -> bytes:
    """A workbook in one part of which a document type stands; `used` takes the place of a text."""
    body = BOOK[part].removeprefix(HEAD).replace(b"Ann", used)
    made = workbook_with({part: HEAD + b"<!DOCTYPE r [" + declared + b"]>" + body})
    assert b"<!DOCTYPE r [<!ENTITY" in part_of(made, part)
    return made


LAUGHS = b'<!ENTITY l0 "ha">' + b"".join(
    b'<!ENTITY l%d "%s">' % (number, b"&l%d;" % (number - 1) * 20) for number in range(1, 12)
)


@pytest.mark.parametrize("part", PARTS)
def test_entities_that_multiply_are_not_unfolded(part: str) -> None:
    """The billion laughs: a few lines of XML that name each other."""
    with pytest.raises(InvalidTable, match="declares a document type"):
        read_all(with_document_type(part, LAUGHS, b"&l11;"))


@pytest.mark.parametrize("part", [SHEET, TEXTS, WORKBOOK])
@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_no_encoding_hides_a_document_type(part: str, encoding: str) -> None:
    xml = part_of(with_document_type(part, LAUGHS, b"&l11;"), part).decode()
    xml = xml.replace('<?xml version="1.0"?>', "<!-- " + "x" * 9000 + " -->")
    with pytest.raises(InvalidTable, match="declares a document type"):
        read_all(workbook_with({part: xml.encode(encoding)}))


def under_another_name(content: bytes, part: str, name: str) -> bytes:
    """The same workbook, a part of it named otherwise wherever it is named."""
    stream = io.BytesIO()
    old, new = (own.rpartition("/")[2].encode() for own in (part, name))
    with (
        zipfile.ZipFile(io.BytesIO(content)) as book,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as renamed,
    ):
        for own in book.namelist():
            renamed.writestr(name if own == part else own, book.read(own).replace(old, new))
    return stream.getvalue()


@pytest.mark.parametrize(("part", "name"), [(TEXTS, "xl/sharedStrings.bin"), (SHEET, f"{SHEET}x")])
def test_no_name_hides_a_document_type(part: str, name: str) -> None:
    """The table of contents says which part is what."""
    sound = under_another_name(workbook_with(), part, name)
    assert read_all(sound).head(2) == [["Ann"], ["Ann"]]
    with pytest.raises(InvalidTable, match="declares a document type"):
        read_all(under_another_name(with_document_type(part, LAUGHS, b"&l11;"), part, name))


def test_no_name_hides_shared_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MOST_UNPACKED_TEXTS", 40)
    stream = io.BytesIO(under_another_name(workbook_with(), TEXTS, "xl/other.bin"))
    with pytest.raises(InvalidTable, match="far larger"):
        workbook.Workbooks().detect(stream, LITTLE)


@pytest.mark.parametrize("slash", [b"x", b"?"])
def test_no_address_of_a_part_hides_shared_texts(
    slash: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader takes the first character for the slash, whatever it is."""
    monkeypatch.setattr(workbook, "MOST_UNPACKED_TEXTS", 40)
    types = BOOK[TYPES].replace(b'"/xl/sharedStrings', b'"%sxl/sharedStrings' % slash)
    with pytest.raises(InvalidTable, match="far larger"):
        workbook.Workbooks().detect(io.BytesIO(workbook_with({TYPES: types})), LITTLE)


def test_nobody_is_kept_waiting_by_comments_before_the_first_element() -> None:
    """Each block of a long comment is looked through from its beginning, so 10 MB take a minute."""
    sheet = BOOK[SHEET].replace(HEAD, HEAD + b"<!--" + b"x" * (10 << 20) + b"-->")
    bomb = workbook_with({SHEET: sheet})
    assert len(bomb) < 20_000
    with pytest.raises(InvalidTable, match="more than 64 KB of comments"):
        read_all(bomb)


@pytest.mark.parametrize("part", [SHEET, TEXTS, WORKBOOK])
def test_no_other_file_is_opened(part: str) -> None:
    declared = b'<!ENTITY own SYSTEM "file:///etc/passwd">'
    with pytest.raises(InvalidTable, match="declares a document type"):
        read_all(with_document_type(part, declared, b"&own;"))


def test_no_address_is_asked() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd".encode()
        declared = (
            b'<!ENTITY own SYSTEM "'
            + address
            + b'">'
            + b'<!ENTITY %% p SYSTEM "%s"> %%p;' % address
        )
        with pytest.raises(InvalidTable, match="declares a document type"):
            read_all(with_document_type(TEXTS, declared, b"&own;"))
        with pytest.raises(BlockingIOError):
            server.accept()


def shared_texts(texts: list[bytes], cells: int) -> bytes:
    """A workbook whose cells all name the first of some shared texts, and a name above them."""
    items = b"".join(b"<si><t>%s</t></si>" % text for text in [b"name", *texts])
    rows = b'<row><c t="s"><v>0</v></c></row>' + b'<row><c t="s"><v>1</v></c></row>' * cells
    sheet = b"<worksheet %s><sheetData>%s</sheetData></worksheet>" % (MAIN, rows)
    return workbook_with({TEXTS: b"<sst %s>%s</sst>" % (MAIN, items), SHEET: sheet})


def test_one_long_text_named_very_often_is_kept_once() -> None:
    """Ten gigabytes of cells in a file of a few kilobytes."""
    bomb = shared_texts([b"x" * 100_000], 100_000)
    assert len(bomb) < 50_000
    assert part_of(bomb, SHEET).count(b"<v>1</v>") == 100_000
    table = read_all(bomb)
    assert table.rows == 100_000
    assert table.columns[0].different == 1


def test_a_shared_text_that_nobody_typed_is_refused() -> None:
    bomb = shared_texts([b"x" * (20 << 20)], 100)
    assert len(bomb) < 100_000
    with pytest.raises(InvalidTable, match="more than 100,000 characters"):
        read_all(bomb)


def test_shared_texts_that_unpack_to_gigabytes_are_not_unpacked() -> None:
    bomb = shared_texts([b"x" * (80 << 20)], 1)
    assert len(bomb) < 1_000_000
    with pytest.raises(InvalidTable, match="far larger"):
        read_all(bomb)


def test_millions_of_tiny_shared_texts_need_more_memory_than_there_is() -> None:
    """Not hollow enough to be refused at sight: what they take is what the system stops."""
    bomb = shared_texts([b"%d" % number for number in range(300_000)], 1)
    with pytest.raises(InvalidTable, match="needs more than 10 MB of memory"):
        read_all(bomb, ReadingLimits(unpacked_mb=256, memory_mb=10, minutes=2))


def parquet_of(rows: int, columns: int) -> bytes:
    """A file in which every column holds one value, over and over."""
    stream = io.BytesIO()
    column = pa.array(["x"]).dictionary_encode().take(pa.array(np.zeros(rows, np.int32)))
    pa.parquet.write_table(pa.table({f"c{n}": column for n in range(columns)}), stream)
    return stream.getvalue()


def test_a_small_parquet_file_of_very_many_cells_needs_more_memory_than_there_is() -> None:
    bomb = parquet_of(2_000_000, 20)
    assert len(bomb) < 100_000
    with pytest.raises(InvalidTable, match="needs more than 60 MB of memory"):
        read_all(bomb, ReadingLimits(memory_mb=60))


def test_a_packed_text_stops_at_its_limit() -> None:
    bomb = gzip.compress(b"a,b\n" + b"0,0\n" * (5 << 20), 9)
    assert len(bomb) < 100_000
    with pytest.raises(InvalidTable, match="larger than 16 MB, the limit here"):
        read_all(bomb, ReadingLimits(unpacked_mb=16))


def test_graphml_declares_no_entities() -> None:
    xml = (
        b'<?xml version="1.0"?><!DOCTYPE r ['
        + LAUGHS
        + b"]><graphml><graph>&l11;</graph></graphml>"
    )
    with pytest.raises(InvalidTable, match="declares a document type"):
        read_network(io.BytesIO(xml))


@pytest.mark.parametrize("depth", [100, 900, 100_000])
def test_deep_nesting_ends_in_a_sentence(depth: int) -> None:
    colors = Column.from_cells("color", ["red"])
    nested = b'{"*":' * depth + b'["red"]' + b"}" * depth
    for content in (nested, b'{"taxonomy":' + nested + b"}", b'{"tree":' + nested + b"}"):
        with pytest.raises(EngineError, match=r"[.]$"):
            parse_json(content, colors)


@pytest.mark.parametrize("place", ["taxonomy", "models", "method", "measures", "seed"])
def test_a_plan_nested_deeply_ends_in_a_sentence(place: str) -> None:
    nested = json.loads("[" * 900 + "]" * 900)
    column = {
        "role": "quasi-identifier",
        "taxonomy": nested if place == "taxonomy" else {"flat": True},
    }
    plan = {"plan": 1, "columns": {"a": column}, "method": {"name": "none"}}
    if place != "taxonomy":
        plan[place] = nested
    with pytest.raises(EngineError, match=r"[.]$"):
        Plan.from_document(plan)
