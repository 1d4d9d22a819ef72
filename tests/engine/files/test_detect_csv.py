import io

import pytest

from deid_portal.engine import InvalidTable
from deid_portal.engine.files.csv.reader import CsvFormat, detect_csv, preview_csv, read_csv
from deid_portal.engine.files.table_reader import DoubtfulWord, detect_file, preview_file
from deid_portal.engine.table.missing_words import says_missing
from tests.engine.tables import ADULT


def test_adult_is_recognized_with_evidence() -> None:
    content = (ADULT / "adult.csv").read_bytes()
    detection = detect_csv(io.BytesIO(content), len(content))
    assert detection.format == CsvFormat(delimiter=";")
    assert detection.evidence["delimiter"] == "same count in every row"
    assert detection.evidence["has_header"] == "9 names, no duplicates"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_found(delimiter: str) -> None:
    rows = [["name", "note"], ["a", 'x, "y"; z'], ["b", "plain"]]
    text = "\n".join(
        delimiter.join(f'"{c.replace(chr(34), chr(34) * 2)}"' for c in r) for r in rows
    )
    assert detect_csv(text.encode()).format.delimiter == delimiter


@pytest.mark.parametrize("delimiter", ["~", "^", "#", "\x01"])
def test_a_rare_delimiter_is_believed_where_every_row_agrees(delimiter: str) -> None:
    rows = [delimiter.join(row) for row in (("name", "age"), ("Ann", "39"), ("Bob", "50"))]
    assert detect_csv("\n".join(rows).encode()).format.delimiter == delimiter
    assert detect_csv("\n".join([*rows, "Eve"]).encode()).format.delimiter == ","


def test_single_quotes_are_found_where_they_join_cells() -> None:
    assert detect_csv(b"id,note\n1,'a, b'\n2,'c, d'\n").format.quote == "'"
    assert detect_csv(b"id,note\n1,O'Neill\n2,'t Hooft\n").format.quote == '"'
    assert detect_csv(b"name\n'Ann'\n'Bob'\n").format.quote == '"'


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("cp1252", "cp1252"),
    ],
)
def test_encoding_is_found(encoding: str, expected: str) -> None:
    detection = detect_csv("name,town\nZoë,Łódź\n".replace("Łódź", "Köln").encode(encoding))
    assert detection.format.encoding == expected


def test_sample_cut_inside_a_character_is_still_utf8() -> None:
    content = "a,b\n1,é".encode()[:-1]
    assert detect_csv(content, size=1000).format.encoding == "utf-8"


def test_first_row_of_numbers_is_no_header() -> None:
    assert not detect_csv(b"1,2\n3,4\n").format.has_header


@pytest.mark.parametrize(
    ("text", "has_header"),
    [
        ("id,2019,2020\n1,5,6\n2,7,8\n", True),  # years name columns
        ("5,2019\n6,2019\n", False),
        ("NA,5\n3,6\n4,7\n", False),  # a gap above numbers is no name
        ("Ann,Paris,flu\nBob,Paris,flu\nCy,Rome,asthma\n", False),  # a row as those below it
        ("name,town\nAnn,Paris\nBob,Rome\n", True),
        ("name,town\nAnn,Paris\nname,town\nBob,Rome\n", True),  # two files in one
        ("sex,age\nsex,30\nf,40\n", True),
    ],
)
def test_what_stands_below_says_whether_the_first_row_is_a_header(
    text: str, has_header: bool
) -> None:
    detection = detect_csv(text.encode())
    assert detection.format.has_header is has_header
    assert detection.evidence["has_header"]


def test_decimal_comma_and_missing_words_are_found() -> None:
    detection = detect_csv(b"a;b\n1,5;?\n2,5;NA\n")
    assert detection.format.decimal == ","
    assert detection.format.missing == ("?", "NA")
    assert detection.evidence["missing"] == "2 cells in the first rows"


def test_workbook_is_refused() -> None:
    with pytest.raises(InvalidTable, match="Excel workbook"):
        detect_csv(b"PK\x03\x04 xl/worksheets")


def test_format_survives_as_a_document() -> None:
    form = CsvFormat(";", "cp1252", False, "'", ",", ("NA", "?"))
    assert CsvFormat.from_document(form.to_document()) == form
    with pytest.raises(InvalidTable, match="no entry"):
        CsvFormat.from_document({"separator": ";"})


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (b"a\0b\0c", "utf-8"),  # half of the bytes are empty, but not every second one
        (b"\0" * 7 + b"x", "utf-16-be"),
        (b"\xff\xfea\0,\0b", "utf-16"),
        (b"\xff\xfe\0\0a\0\0", "utf-32"),
        (b"\xef\xbb\xbfa,b\n\xff,2\n", "utf-8"),
    ],
)
def test_a_broken_encoding_is_detected_and_refused_with_a_sentence(
    content: bytes, encoding: str
) -> None:
    form = detect_csv(content, len(content)).format
    assert form.encoding == encoding
    for read in (preview_csv, read_csv):
        with pytest.raises(InvalidTable, match=r"[.]$"):
            read(io.BytesIO(content), form)


def test_words_for_missing_in_other_languages_are_found() -> None:
    text = "a;b;c\n1;k.A.;unbekannt\n2;keine Angabe;ledig\n3;x;n/a\n4;y;ledig\n"
    detection = detect_csv(text.encode())
    assert detection.format.missing == ("k.A.", "keine Angabe", "n/a")
    assert detection.evidence["missing"] == "3 cells in the first rows"


def test_words_that_may_be_answers_are_offered_and_not_taken() -> None:
    content = b"a;b\n1;unbekannt\n2;ledig\n3;unbekannt\n4;keine\n5;k.A.\n"
    stream = io.BytesIO(content)
    form = detect_file(stream).format
    found = preview_file(io.BytesIO(content), form).doubtful_words
    assert found == (DoubtfulWord("unbekannt", 2, ("b",)), DoubtfulWord("keine", 1, ("b",)))


@pytest.mark.parametrize("word", ["DK", "NC", "nr", "-", "Na", "Nan", "Rest", "x"])
def test_words_that_are_answers_elsewhere_are_never_taken(word: str) -> None:
    assert not says_missing(word)
