import numpy as np
import pytest

from deid_portal.engine import ColumnType, Table
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import Taxonomy
from deid_portal.engine.utility.class_matching import match_people
from deid_portal.engine.utility.coverage import cover, cover_all

AGES = Column.from_cells("age", ["21", "29", "30", "45", None])


@pytest.mark.parametrize(
    ("label", "codes"),
    [
        ("29", [1]),
        ("*", [0, 1, 2, 3, 4]),
        ("2*", [0, 1]),
        ("<30", [0, 1]),
        ("≥30", [2, 3]),
        ("[29,30]", [1, 2]),
        ("[21, 30)", [0, 1]),
        ("21-29", [0, 1]),
        (None, [4]),
        ("unknown", []),
    ],
)
def test_labels_are_read_as_people_read_them(label: str | None, codes: list[int]) -> None:
    released = Column.from_cells("age", [label])
    assert sorted(cover(AGES, released).covered[0].tolist()) == codes


@pytest.mark.parametrize(
    ("label", "codes"), [("1,6", []), ("-1,6", []), ("[1,5, 2,5]", [0, 1]), ("2,5", [1])]
)
def test_a_number_with_a_decimal_comma_is_no_range(label: str, codes: list[int]) -> None:
    values = ("1,5", "2,5", "4,5")
    pays = Column("pay", ColumnType.NUMBER, np.arange(3, dtype=np.int32), values, ",")
    released = Column.from_cells("pay", [label])
    assert sorted(cover(pays, released).covered[0].tolist()) == codes


def test_taxonomy_answers_first() -> None:
    cities = Column.from_cells("city", ["Umeå", "Luleå", "Lund"])
    paths = [("Umeå", "north", "*"), ("Luleå", "north", "*"), ("Lund", "south", "*")]
    released = Column.from_cells("city", ["north", "Lund", "*"])
    found = cover(cities, released, Taxonomy.from_paths(paths))
    assert [sorted(codes.tolist()) for codes in found.covered] == [[0, 1], [2], [0, 1, 2]]


def test_labels_that_overlap_lie_in_different_layers() -> None:
    layer_of, layers = cover(AGES, Column.from_cells("age", ["2*", "45", "<30"])).layers
    assert layer_of.tolist() == [0, 0, 1]
    assert layers.shape == (2, 5)


def test_matching_finds_every_class_a_person_fits_also_in_local_recoding() -> None:
    people = Table.from_rows(["zip", "age"], [["47677", "29"], ["47905", "43"], ["99999", "29"]])
    rows = [["476**", "2*"], ["476**", "<30"], ["47677", "29"], ["4790*", ">40"]]
    released = Table.from_rows(["zip", "age"], rows)
    coverages = cover_all(people, released, ("zip", "age"), {})
    matches = match_people(people, released, ("zip", "age"), coverages)
    candidates = matches.candidates()[matches.people.pattern_of_row]
    assert candidates.tolist() == [3, 1, 0]
    truth = matches.includes(np.array([0, 1, 2], np.int32), np.array([2, 0, 0], np.int32))
    assert truth.tolist() == [True, False, False]


def test_matching_agrees_with_trying_every_pair() -> None:
    generator = np.random.default_rng(5)
    numbers = [[str(a), str(b)] for a, b in generator.integers(10, 40, (30, 2))]
    labels = [
        [f"{a[0]}*" if generator.random() < 0.5 else a, "*" if generator.random() < 0.3 else b]
        for a, b in numbers
    ]
    people = Table.from_rows(["x", "y"], numbers)
    released = Table.from_rows(["x", "y"], labels)
    coverages = cover_all(people, released, ("x", "y"), {})
    matches = match_people(people, released, ("x", "y"), coverages)
    found = matches.candidates()[matches.people.pattern_of_row].tolist()
    fits = [sum((a in (x, f"{x[0]}*")) and b in (y, "*") for a, b in labels) for x, y in numbers]
    assert found == fits
