"""Permutation mixes amounts within groups that are wide enough, and no wider than they must be."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, Outcome, Plan, Table, protect
from deid_portal.engine.methods.separation.kernels import cut_line
from tests.chance import known_secret
from tests.engine.tables import document

COLUMNS: dict[str, Any] = {"age": {"role": "quasi-identifier"}, "pay": {"role": "sensitive"}}


def permute(pays: list[Any], k: int = 2, e: float = 0, **changes: Any) -> Outcome:
    rows = [[str(20 + n), None if pay is None else str(pay)] for n, pay in enumerate(pays)]
    method = {"name": "permutation", "k": k, "e": e, "column": "pay"}
    asked = document(COLUMNS, models=[], method=method) | changes
    table = Table.from_rows(list(COLUMNS), rows)
    return protect(table, Plan.from_document(asked), secret=known_secret())


def groups_of(outcome: Outcome) -> list[list[float | None]]:
    assert outcome.released is not None
    groups = defaultdict(list)
    released = outcome.released
    for group, cell in zip(released["group"].cells(), released["pay"].cells(), strict=True):
        groups[int(group or 0)].append(None if cell is None else float(cell))
    return [sorted(groups[group], key=lambda pay: (pay is None, pay)) for group in sorted(groups)]


def test_groups_are_cut_where_the_distance_is_largest() -> None:
    assert groups_of(permute([10, 11, 50, 51, 12, 52])) == [[10, 11, 12], [50, 51, 52]]
    assert groups_of(permute([1, 2, 3, 4])) == [[1, 2], [3, 4]]
    # The salaries of the decks' nine people, as on the help page.
    nine = [3, 4, 5, 6, 11, 8, 7, 9, 10]
    assert groups_of(permute(nine, k=3, e=2)) == [[3, 4, 5], [6, 7, 8], [9, 10, 11]]
    # Three apart from the lowest to the highest of every group: one cut less.
    assert groups_of(permute([1, 2, 3, 4], e=3)) == [[1, 2, 3, 4]]


def test_equal_amounts_count_once_and_stay_together() -> None:
    assert groups_of(permute([5, 5, 5, 6, 9, 9])) == [[5, 5, 5, 6, 9, 9]]
    assert groups_of(permute([5, "5.0", 6, 8, 9])) == [[5, 5, 6], [8, 9]]


def test_people_without_an_amount_join_any_group() -> None:
    groups = groups_of(permute([1, 2, None, 8, 9, None]))
    assert [[pay for pay in group if pay is not None] for group in groups] == [[1, 2], [8, 9]]
    assert sum(pay is None for group in groups for pay in group) == 2


def test_the_model_of_the_same_name_holds() -> None:
    pays = np.random.default_rng(2).integers(0, 500, 120).tolist()
    model = {"model": "k-e-anonymity", "k": 4, "e": 20, "column": "pay"}
    outcome = permute(pays, 4, 20, models=[model])
    assert outcome.solution
    assert outcome.report.models[0].achieved["k"] >= 4
    assert outcome.report.models[0].achieved["e"] >= 20
    released = outcome.released
    assert released is not None
    assert sum(float(cell or 0) for cell in released["pay"].cells()) == sum(pays)


def test_amounts_change_hands() -> None:
    pays = list(range(100, 200))
    outcome = permute(pays, 20, 0)
    assert outcome.released is not None
    assert outcome.rows is not None
    shown = [int(cell or 0) for cell in outcome.released["pay"].cells()]
    own = [pays[row] for row in outcome.rows]
    assert sum(new != old for new, old in zip(shown, own, strict=True)) > 80


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True),
    st.integers(1, 4),
    st.integers(0, 12),
)
@settings(max_examples=200)
def test_no_other_cuts_give_a_smaller_sum_of_widths(numbers: list[int], k: int, e: int) -> None:
    ordered = sorted(numbers)
    starts = cut_line(np.array(ordered, np.float64), k, float(e)).tolist()
    sums = [
        sum(group[-1] - group[0] for group in groups)
        for cuts in range(len(ordered))
        for places in combinations(range(1, len(ordered)), cuts)
        for groups in [_split(ordered, [0, *places])]
        if all(len(group) >= k and group[-1] - group[0] >= e for group in groups)
    ]
    if not sums:
        assert starts == []
        return
    groups = _split(ordered, starts)
    assert all(len(group) >= k and group[-1] - group[0] >= e for group in groups)
    assert sum(group[-1] - group[0] for group in groups) == min(sums)


def _split(numbers: list[int], starts: list[int]) -> list[list[int]]:
    ends = [*starts[1:], len(numbers)]
    return [numbers[start:end] for start, end in zip(starts, ends, strict=True)]


@pytest.mark.parametrize(
    ("pays", "k", "e", "sentence"),
    [
        ([1, 2, 2], 3, 0, "has 2 different numbers"),
        ([1, 2, 3], 2, 5, "do not lie that far apart"),
        (["low", "high"], 2, 0, "this rule is about numbers"),
    ],
)
def test_refusals_say_what_to_do(pays: list[Any], k: int, e: float, sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=sentence):
        permute(pays, k, e)
