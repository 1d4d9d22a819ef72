"""Record swapping: pairs alike in what matters, different in what is swapped, risky ones first."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.perturbation.record_swapping import RecordSwapping
from deid_portal.engine.methods.perturbation.unit_pairs import ALONE, pair_units
from deid_portal.engine.progress import Progress
from tests.engine.drafts import carry_out, cells, draft_of, reader

record_swapping = reader(RecordSwapping)
TOWNS = Table.from_rows(
    ["age", "sex", "town"],
    [
        ["30", "f", "A"],
        ["30", "f", "B"],
        ["30", "m", "A"],
        ["30", "m", "A"],
        ["50", "m", "B"],
        ["50", None, "B"],
        ["50", None, "A"],
    ],
)
HOUSES = Table.from_rows(
    ["house", "age", "town"],
    [
        ["1", "30", "A"],
        ["1", "5", "A"],
        ["2", "5", "B"],
        ["2", "30", "B"],
        ["3", "30", "B"],
        [None, "30", "C"],
    ],
)


def test_people_alike_change_places_and_others_stay() -> None:
    draft = carry_out(record_swapping(columns=["town"], share=1, match=["age", "sex"]), TOWNS)
    assert cells(draft, "town") == ["B", "A", "A", "A", "B", "A", "B"]
    step = draft.steps[0]
    assert (step["pairs"], step["pairs_wanted"], step["swapped_records"]) == (2, 3, 4)
    assert cells(draft, "age") == list(TOWNS["age"].cells())


def test_those_who_stand_out_most_come_first() -> None:
    rows = [["1", "x", "A"]] * 50 + [["1", "x", "B"]] * 49 + [["1", "y", "B"]]
    start = draft_of(Table.from_rows(["one", "rare", "town"], rows), rare=None)
    method = record_swapping(columns=["town"], share=0.02, match=["one"])
    for seed in range(5):
        assert cells(carry_out(method, start, seed), "town")[99] == "A"
    plain = record_swapping(columns=["town"], share=0.02, match=["one"], select="random")
    moved = [cells(carry_out(plain, start, seed), "town")[99] == "A" for seed in range(40)]
    assert sum(moved) < 10


def test_columns_swapped_together_stay_together() -> None:
    table = Table.from_rows(["town", "county"], [["a", "A"], ["b", "B"], ["c", "C"]] * 20)
    draft = carry_out(record_swapping(columns=["town", "county"], share=0.5), table)
    shown = list(zip(cells(draft, "town"), cells(draft, "county"), strict=True))
    assert all(str(town).upper() == county for town, county in shown)
    assert Counter(shown) == {("a", "A"): 20, ("b", "B"): 20, ("c", "C"): 20}
    assert draft.steps[0]["swapped_records"] == 30


def test_whole_households_change_places_with_households_like_them() -> None:
    method = record_swapping(columns=["town"], share=1, match=["age"], household="house")
    draft = carry_out(method, HOUSES)
    assert cells(draft, "town") == ["B", "B", "A", "A", "C", "B"]
    assert draft.steps[0]["units"] == 4


def test_a_household_that_is_in_two_places_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="members of 2 households differ"):
        carry_out(record_swapping(columns=["age"], share=1, household="house"), HOUSES)


def test_matching_on_what_is_swapped_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"method\.match"):
        record_swapping(columns=["town"], share=0.1, match=["town"])


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=30),
    st.integers(0, 15),
    st.integers(0, 2**32),
)
def test_partners_agree_and_differ_as_they_must(
    units: list[tuple[int, int]], wanted: int, seed: int
) -> None:
    groups = np.array([group for group, _ in units], np.int32)
    shown = np.array([cell for _, cell in units], np.int32)
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(units))
    partners = pair_units(order, groups, shown, wanted, generator, Progress(None))
    paired = np.flatnonzero(partners != ALONE)
    assert (partners[partners[paired]] == paired).all()
    assert (groups[partners[paired]] == groups[paired]).all()
    assert (shown[partners[paired]] != shown[paired]).all()
    assert len(paired) <= 2 * wanted
    if len(paired) < 2 * wanted:  # then nobody is left who could still find one
        free = np.flatnonzero(partners == ALONE)
        for group in set(groups[free].tolist()):
            assert len(set(shown[free[groups[free] == group]].tolist())) == 1


def test_every_fitting_partner_is_equally_likely() -> None:
    groups, shown = np.zeros(5, np.int32), np.array([0, 0, 1, 2, 3], np.int32)
    counts = np.zeros(5)
    for seed in range(3000):
        generator = np.random.default_rng(seed)
        order = np.arange(5)
        counts[pair_units(order, groups, shown, 1, generator, Progress(None))[0]] += 1
    assert counts[:2].sum() == 0
    assert counts[2:] == pytest.approx([1000] * 3, rel=0.1)


def test_a_rare_partner_in_a_crowd_is_found() -> None:
    groups = np.zeros(5000, np.int32)
    shown = np.zeros(5000, np.int32)
    shown[4321] = 1
    order = np.arange(5000)
    partners = pair_units(order, groups, shown, 9, np.random.default_rng(1), Progress(None))
    assert partners[0] == 4321
    assert (partners != ALONE).sum() == 2


@pytest.mark.parametrize("rows", [[], [["a"]], [["a"]] * 4, [[None], [None]]])
def test_small_and_even_tables_are_survived(rows: list[list[Any]]) -> None:
    table = Table.from_rows(["x"], rows)
    draft = carry_out(record_swapping(columns=["x"], share=0.5), table)
    assert [[cell] for cell in cells(draft, "x")] == rows
