import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.files.arrow import read_arrow, write_arrow
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from tests.engine.tables import FOUR, adult_table, csv_bytes


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+44 20", "'+44 20"),
        ("-cmd", "'-cmd"),
        ("@sum", "'@sum"),
        ("\tx", "'\tx"),
        ("\rx", '"\'\rx"'),
        ("-5", "-5"),
        ("+5.25", "+5.25"),
        ("-1e3", "-1e3"),
        ("x,y", '"x,y"'),
        ('say "hi"', '"say ""hi"""'),
        ("two\nlines", '"two\nlines"'),
    ],
)
def test_cell_is_escaped_and_cannot_run(cell: str, written: str) -> None:
    table = Table.from_rows(["a", "b"], [[cell, "z"]])
    assert csv_bytes(table).decode() == f"a,b\n{written},z\n"


def test_column_name_cannot_run_either() -> None:
    assert csv_bytes(Table.from_rows(["=a", "b"], [["1", "2"]])) == b"'=a,b\n1,2\n"


def test_gap_is_an_empty_cell() -> None:
    assert csv_bytes(FOUR).decode().splitlines()[4] == "13068,,Flu"


def test_gap_of_a_single_column_is_not_a_blank_line() -> None:
    table = Table.from_rows(["a"], [["x"], [None]])
    assert read_csv(io.BytesIO(csv_bytes(table)), CsvFormat()).head(5) == [["x"], [None]]


texts = st.none() | st.text(
    st.characters(codec="utf-8", exclude_characters="\0\r=+-@\t"), min_size=1
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6), st.sampled_from(",;|"))
def test_csv_reads_back_as_it_was(
    rows: list[tuple[str | None, str | None]], delimiter: str
) -> None:
    table = Table.from_rows(["a", "b"], rows)
    again = read_csv(io.BytesIO(csv_bytes(table, delimiter)), CsvFormat(delimiter))
    assert again.head(9) == [list(row) for row in rows]


@pytest.mark.parametrize("table", [FOUR, adult_table(), Table.from_rows(["a"], [])])
def test_stored_table_is_the_same_table(table: Table) -> None:
    stored = io.BytesIO()
    write_arrow(table, stored)
    again = read_arrow(io.BytesIO(stored.getvalue()))
    assert again.head(table.rows) == table.head(table.rows)
    assert again.sha256 == table.sha256
    for old, new in zip(table.columns, again.columns, strict=True):
        assert (old.name, old.type, old.values, old.decimal) == (
            new.name,
            new.type,
            new.values,
            new.decimal,
        )


def test_damaged_store_is_refused() -> None:
    with pytest.raises(InvalidTable, match="cannot be read back"):
        read_arrow(io.BytesIO(b"damaged"))
