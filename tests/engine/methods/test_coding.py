"""Top and bottom coding: at the bound, not beyond it, and as the column writes its numbers."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import Table
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.coding import Coding
from tests.engine.drafts import carry_out, cells, draft_of, number_table, reader

coding = reader(Coding)
AGES = number_table(age=[22, 27, 91, None, 47, 102, 5])


def test_numbers_beyond_a_bound_are_shown_at_it() -> None:
    draft = carry_out(coding(columns=["age"], top=90, bottom=18), AGES)
    assert cells(draft, "age") == ["22", "27", "90", None, "47", "90", "18"]
    step = draft.steps[0]["columns"]["age"]
    assert step == {"bottom": 18, "top": 90, "raised": 1, "lowered": 2}
    json.dumps(draft.steps, allow_nan=False)


def test_one_end_is_enough() -> None:
    draft = carry_out(coding(columns=["age"], top=90), AGES)
    assert cells(draft, "age")[-1] == "5"
    assert draft.steps[0]["columns"]["age"]["bottom"] is None


@pytest.mark.parametrize(
    ("share", "top"), [(0.1, "10"), (0.2, "9"), (0.11, "9"), (0.3, "8"), (0.0, "10")]
)
def test_a_share_becomes_the_bound_that_so_many_reach(share: float, top: str) -> None:
    """Ten people, 1 to 10: a fifth of them reach 9, and so do those a ninth asks for."""
    table = number_table(x=list(range(1, 11)))
    draft = carry_out(coding(columns=["x"], top_share=share), table)
    assert max(cells(draft, "x"), key=lambda cell: float(str(cell))) == top


def test_shares_count_people_and_not_values_and_no_gaps() -> None:
    table = number_table(x=[1, 1, 1, 1, 1, 1, 1, 2, 3, None, None])
    draft = carry_out(coding(columns=["x"], bottom_share=0.5, top_share=0.2), table)
    assert cells(draft, "x") == ["1"] * 7 + ["2", "2", None, None]


@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=30),
    st.sampled_from([0.01, 0.1, 0.25, 0.5]),
)
def test_at_least_the_share_is_shown_at_the_top(numbers: list[int], share: float) -> None:
    draft = carry_out(coding(columns=["x"], top_share=share), number_table(x=list(numbers)))
    shown = [float(str(cell)) for cell in cells(draft, "x")]
    assert shown.count(max(shown)) >= share * len(numbers)
    assert sum(number > max(shown) for number in numbers) <= share * len(numbers)


def test_equal_numbers_are_written_alike_whoever_was_moved() -> None:
    table = Table.from_rows(["x"], [["1.50"], ["90.00"], ["90.0"], ["97.25"]])
    draft = carry_out(coding(columns=["x"], top=90), table)
    assert cells(draft, "x") == ["1.50", "90.00", "90.00", "90.00"]


def test_a_bound_has_the_decimals_of_the_column_unless_it_needs_more() -> None:
    table = Table.from_rows(["x"], [["1.50"], ["97.25"]])
    assert cells(carry_out(coding(columns=["x"], top=90), table), "x")[1] == "90.00"
    assert cells(carry_out(coding(columns=["x"], top=90.125), table), "x")[1] == "90.125"


def test_the_bound_is_covered_by_a_taxonomy_of_numbers() -> None:
    draft = draft_of(AGES, age={"intervals": {"width": 10}})
    problem = carry_out(coding(columns=["age"], top=90), draft).pose()
    assert "90-99" in problem.taxonomies[0].labels[1]


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({}, "at least one of"),
        ({"top": 1, "top_share": 0.1}, 'goes without "top"'),
        ({"top": 1, "bottom": 2}, 'not below "bottom"'),
        ({"top_share": 0.9}, "from 0 to 0.5"),
    ],
)
def test_bounds_that_make_no_sense_are_refused(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=sentence):
        coding(columns=["age"], **keys)


def test_a_bottom_above_a_top_found_in_the_data_is_refused() -> None:
    with pytest.raises(InvalidPlan, match="bottom lies above the top"):
        carry_out(coding(columns=["age"], bottom=200, top_share=0.1), AGES)


@pytest.mark.parametrize("column", [[7], [7, 7], [None], []])
def test_small_columns_are_survived(column: list[float | int | None]) -> None:
    draft = carry_out(coding(columns=["x"], top_share=0.5, bottom=0), number_table(x=column))
    assert cells(draft, "x") == [None if cell is None else str(cell) for cell in column]
