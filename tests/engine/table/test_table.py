import numpy as np
import pytest

from deid_portal.engine import Column, ColumnType, InvalidTable, Table
from tests.engine.tables import FOUR


def test_gap_has_a_code_and_a_count_of_its_own() -> None:
    age = FOUR["age"]
    assert age.gap == 2
    assert age.missing == 1
    assert age.counts.tolist() == [2, 1, 1]


def test_head_shows_original_text() -> None:
    assert FOUR.head(1) == [["13053", "28", "Flu"]]
    assert FOUR.head(9)[3] == ["13068", None, "Flu"]


def test_fingerprint_follows_cells_and_not_the_coding() -> None:
    codes = np.array([1, 0], dtype=np.int32)
    one = Table((Column("a", ColumnType.TEXT, codes, ("y", "x", "unused")),))
    other = Table.from_rows(["a"], [["x"], ["y"]])
    assert one.sha256 == other.sha256
    assert one.sha256 != Table.from_rows(["a"], [["y"], ["x"]]).sha256
    assert one.sha256 != Table.from_rows(["b"], [["x"], ["y"]]).sha256


def test_source_hash_stands_in_for_the_fingerprint() -> None:
    assert Table(FOUR.columns, "abc").sha256 == "abc"


def test_codes_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        FOUR["age"].codes[0] = 1


@pytest.mark.parametrize(
    ("codes", "values"), [([0, 2], ("a", "b")), ([-1], ("a",)), ([0], ("a", "a"))]
)
def test_broken_coding_is_refused(codes: list[int], values: tuple[str, ...]) -> None:
    with pytest.raises(InvalidTable):
        Column("x", ColumnType.TEXT, np.array(codes, dtype=np.int32), values)


def test_columns_must_differ_in_name_and_agree_in_length() -> None:
    one, two = Column.from_cells("a", ["1"]), Column.from_cells("a", ["2"])
    with pytest.raises(InvalidTable, match="same name"):
        Table((one, two))
    with pytest.raises(InvalidTable, match="equally long"):
        Table((one, Column.from_cells("b", ["1", "2"])))


def test_table_without_rows_has_none() -> None:
    empty = Table.from_rows(["a", "b"], [])
    assert (empty.rows, empty.names, empty.head(3)) == (0, ("a", "b"), [])
