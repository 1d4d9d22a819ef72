import pytest

from deid_portal.engine import Column, InvalidPlan
from deid_portal.engine.documents import Place
from deid_portal.engine.taxonomies import FileTaxonomy, Recipe, parse_recipe, parse_rows, write_rows
from tests.engine.tables import read_adult


def recipe(content: bytes) -> Recipe:
    place = Place({"file": "t.csv"}, "columns.x.taxonomy")
    return parse_recipe(place, lambda name: content)


def test_leaves_the_table_does_not_hold_count_too() -> None:
    taxonomy = recipe(b"a;x;*\nb;x;*\nc;y;*\n").build(Column.from_cells("q", ["b", "a", "b"]))
    assert taxonomy.labels == (("b", "a", "c"), ("x", "y"), ("*",))
    assert [leaves.tolist() for leaves in taxonomy.leaves] == [[1, 1, 1], [2, 1], [3]]
    assert taxonomy.height == 2


def test_comma_quotes_and_byte_order_mark_are_read() -> None:
    assert parse_rows('\ufeff"a,1",x,*\nb,x,*\n'.encode()) == (("a,1", "x", "*"), ("b", "x", "*"))


def test_gap_stays_a_gap_below_the_root() -> None:
    taxonomy = recipe(b"a;x;*\n").build(Column.from_cells("q", ["a", None]))
    assert taxonomy.labels == (("a", None), ("x", None), ("*",))
    assert taxonomy.leaf_count == 2


def test_file_may_give_the_gap_a_place() -> None:
    taxonomy = recipe(b"a;x;*\n;unknown;*\n").build(Column.from_cells("q", [None, "a"]))
    assert taxonomy.labels == ((None, "a"), ("unknown", "x"), ("*",))


def test_one_level_cannot_be_made_coarser() -> None:
    assert recipe(b"a\nb\n").build(Column.from_cells("q", ["a", "b"])).height == 0


def test_uncovered_values_are_listed_for_the_steward_and_refused_without_naming_them() -> None:
    column = Column.from_cells("q", ["a", "secret", None])
    assert recipe(b"a;*\n").uncovered(column) == ["secret"]
    with pytest.raises(InvalidPlan, match='1 values of column "q"') as refusal:
        recipe(b"a;*\n").build(column)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty"),
        (b"a;x;*\nb;*\n", "row 2 has 2 cells where 3 are expected"),
        (b"a;x;*\n\na;y;*\n", "rows 1 and 3 are about the same value"),
        (b"a;x;p;*\nb;x;q;*\n", "rows 1 and 2 have the same label at level 1 but different"),
        (b"a;x;*\nb;y;+\n", "one root for all rows, found 2"),
        (b"a;;*\n", "row 1 has an empty cell"),
        (b"a;\xff;*\n", "not UTF-8"),
        (b"a;\0;*\n", "NUL"),
    ],
)
def test_inconsistent_file_is_refused_by_row_number(content: bytes, sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=f"columns.x.taxonomy.file: .*{sentence}"):
        recipe(content)


def test_missing_file_and_changed_file_are_refused() -> None:
    def nothing(name: str) -> bytes:
        raise FileNotFoundError

    with pytest.raises(InvalidPlan, match=r'no readable file "t.csv"'):
        parse_recipe(Place({"file": "t.csv"}, "here"), nothing)
    with pytest.raises(InvalidPlan, match="files cannot be read here"):
        parse_recipe(Place({"file": "t.csv"}, "here"))
    with pytest.raises(InvalidPlan, match="has changed"):
        parse_recipe(Place({"file": "t.csv", "sha256": "0"}, "here"), lambda name: b"a;*\n")


def test_written_file_reads_back_the_same() -> None:
    rows = parse_rows(read_adult("adult_hierarchy_education.csv"))
    column = Column.from_cells("education", [row[0] for row in rows])
    assert parse_rows(write_rows(FileTaxonomy("x", rows).build(column))) == rows
