"""Every row of a CSV file that cannot be read, found at once; no cell in what is said of it."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import InvalidTable
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from deid_portal.engine.files.csv.row_problems import MOST_SHOWN, find_row_problems


def _rows(content: bytes, form: CsvFormat | None = None) -> list[int]:
    return [one.row for one in find_row_problems(io.BytesIO(content), form or CsvFormat())]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"a,b\n1,2\n", []),
        (b"a,b\nsecret\n1,2\nx,y,secret\n", [2, 4]),
        (b'a,b\n"x\ny",2\n\nsecret\n', [3]),
        (b"a,b\n\xff,2\n1,2\n\xfe\n", [2, 4]),
        (b'a,b\n1,2\n3,"secret\n5,6\n', [3]),
        (b'a,b\n1,2\n3,"secret', [3]),
        (b"a,b\n1,\x002\n", [2]),
        (b"a\n1\n\n3\n", []),
        (b"a,b\n1," + b"x" * 200_000 + b"\n", [2]),
    ],
    ids=["none", "ragged", "lines", "utf-8", "quote", "quote at the end", "NUL", "one", "long"],
)
def test_every_bad_row_is_found(content: bytes, rows: list[int]) -> None:
    assert _rows(content) == rows
    words = [one.what for one in find_row_problems(io.BytesIO(content), CsvFormat())]
    assert not any("secret" in what for what in words)


def test_other_encodings_and_their_faults() -> None:
    form = CsvFormat(";", "utf-16")
    assert _rows("a;b\n1;é\n2\n".encode("utf-16"), form) == [3]
    assert _rows(b"a,b\n1,\x81\n", CsvFormat(encoding="cp1252")) == [2]


def test_a_hundred_are_enough() -> None:
    assert len(_rows(b"a,b\n" + b"1\n" * 500)) == MOST_SHOWN
    first = find_row_problems(io.BytesIO(b"a,b\n" + b"1\n" * 500), CsvFormat(), most_rows=10)
    assert [one.row for one in first] == list(range(2, 11))


@given(st.lists(st.lists(st.sampled_from(["1", "x y", '"q,q"', '"l\nl"', "é"]), min_size=1)))
def test_the_first_bad_row_is_the_one_that_stops_the_reading(rows: list[list[str]]) -> None:
    content = "\n".join([",".join(row) for row in [["a", "b"], *rows]]).encode()
    found = _rows(content)
    try:
        read_csv(io.BytesIO(content), CsvFormat())
    except InvalidTable as error:
        told = str(error)
        assert found == [] if "no rows" in told else told.startswith(f"Row {found[0]} ")
    else:
        assert found == []
