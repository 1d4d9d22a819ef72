"""A column in few bytes is the same column; strings and wide codes are made when asked for."""

import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Column, ColumnType, InvalidTable, Table
from deid_portal.engine.files.arrow import read_arrow, write_arrow
from deid_portal.engine.files.csv.reader import CsvFormat, read_csv
from deid_portal.engine.table.packed_column import PackedColumn, kind_for
from deid_portal.engine.table.texts import Texts

cells = st.lists(st.none() | st.sampled_from(["a", "b", "é", "10"]), min_size=1, max_size=12)


def packed(plain: Column) -> PackedColumn:
    codes = plain.codes.astype(kind_for(len(plain.values)))
    return PackedColumn(plain.name, plain.type, codes, Texts.from_values(plain.values))


@given(cells)
def test_it_answers_as_the_plain_column_does(cells: list[str | None]) -> None:
    plain = Column.from_cells("x", cells)
    own = packed(plain)
    assert (own.values, own.codes.tolist()) == (plain.values, plain.codes.tolist())
    assert own.codes.dtype == np.int32
    assert (own.gap, own.missing, own.rows) == (plain.gap, plain.missing, len(cells))
    assert own.counts.tolist() == plain.counts.tolist()
    assert list(own.cells()) == cells
    assert list(own.take(slice(0, 2)).cells()) == cells[:2]
    assert Table((own,)).sha256 == Table((plain,)).sha256


def test_copies_with_other_codes_or_types_are_made() -> None:
    own = packed(Column.from_cells("x", ["1", "2", None]))
    assert list(replace(own, codes=own.codes[::-1].copy()).cells()) == [None, "2", "1"]
    assert replace(own, type=ColumnType.TEXT).type is ColumnType.TEXT
    assert Table((own,)).with_types({"x": ColumnType.TEXT})["x"].values == ("1", "2", None)


def test_the_first_rows_are_shown_without_unpacking_the_rest() -> None:
    content = b"id\n" + b"".join(b"P%d\n" % number for number in range(100))
    table = read_csv(io.BytesIO(content), CsvFormat())
    assert table.head(2) == [["P0"], ["P1"]]
    assert "values" not in vars(table["id"])
    assert "codes" not in vars(table["id"])


@pytest.mark.parametrize(("values", "bytes"), [(1, 1), (256, 1), (257, 2), (65536, 2), (65537, 4)])
def test_codes_are_as_narrow_as_the_values_allow(values: int, bytes: int) -> None:
    assert kind_for(values).itemsize == bytes


@pytest.mark.parametrize("count", [255, 256, 257, 66_000])
def test_codes_of_a_file_grow_with_its_values(count: int) -> None:
    content = b"a,b\n" + b"".join(b"%d,x\n" % number for number in range(count))
    column = read_csv(io.BytesIO(content), CsvFormat())["a"]
    assert column.packed.dtype == kind_for(count)
    assert column.codes.tolist() == list(range(count))


def test_codes_outside_the_dictionary_are_refused() -> None:
    with pytest.raises(InvalidTable, match="outside its dictionary"):
        PackedColumn("x", ColumnType.TEXT, np.array([1], np.uint8), Texts.from_values(["a"]))


@given(cells)
def test_it_is_stored_as_narrow_as_it_is(cells: list[str | None]) -> None:
    stream = io.BytesIO()
    write_arrow(Table((packed(Column.from_cells("x", cells)),)), stream)
    back = read_arrow(io.BytesIO(stream.getvalue()))["x"]
    assert back.packed.dtype == np.uint8
    assert list(back.cells()) == cells
