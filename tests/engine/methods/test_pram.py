"""PRAM: chances designed three ways, and right answers for whoever knows them."""

import json
import math
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.errors import Cancelled, InvalidPlan
from deid_portal.engine.methods.perturbation.pram import Pram
from deid_portal.engine.publication import publish_report
from deid_portal.engine.report.transformation import MethodStep
from tests.engine.drafts import carry_out, cells, reader
from tests.engine.tables import document

pram = reader(Pram)
SMOKERS = Table.from_rows(
    ["smokes", "town"],
    [["yes", "A"]] * 300 + [["no", "A"]] * 600 + [[None, "B"]] * 100,
)
MATRIX: dict[str, Any] = {
    "values": ["no", "yes", None],
    "rows": [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.25, 0.25, 0.5]],
}


def test_shares_are_estimated_from_what_is_shown() -> None:
    draft = carry_out(pram(columns=["smokes"], epsilon=2.0), SMOKERS)
    step = draft.steps[0]["columns"]["smokes"]
    assert step["values"] == [None, "no", "yes"]
    assert step["epsilon"] == pytest.approx(2.0)
    for found, error, truth in zip(
        step["estimated_shares"], step["standard_errors"], (0.1, 0.6, 0.3), strict=True
    ):
        assert abs(found - truth) < 4 * error
    pairs = zip(cells(draft, "smokes"), SMOKERS["smokes"].cells(), strict=True)
    stay = np.mean([shown == was for shown, was in pairs])
    assert stay == pytest.approx(math.e**2 / (math.e**2 + 2), abs=0.05)
    json.dumps(draft.steps, allow_nan=False)


def test_only_the_named_columns_change() -> None:
    draft = carry_out(pram(columns=["smokes"], epsilon=0.1), SMOKERS)
    assert cells(draft, "town") == list(SMOKERS["town"].cells())
    assert cells(draft, "smokes") != list(SMOKERS["smokes"].cells())
    assert draft.table.names == SMOKERS.names


def test_levels_of_several_columns_add_up() -> None:
    draft = carry_out(pram(columns=["smokes", "town"], epsilon=1.5), SMOKERS)
    assert draft.steps[0]["epsilon"] == pytest.approx(3.0)


def test_the_decks_coins_have_their_matrix() -> None:
    """Deck: p = 0.5, p' = 0.75 gives [[0.875, 0.125], [0.375, 0.625]] with yes first."""
    table = Table.from_rows(["x"], [["yes"], ["no"]] * 10)
    method = pram(columns=["x"], p=0.5, p_prime=0.75, answer="yes", values={"x": ["yes", "no"]})
    step = carry_out(method, table).steps[0]["columns"]["x"]
    assert np.array(step["matrix"]) == pytest.approx(np.array([[0.875, 0.125], [0.375, 0.625]]))
    assert step["epsilon"] == pytest.approx(math.log(5))


def test_one_coin_has_no_level_of_privacy_and_says_so() -> None:
    method = pram(columns=["smokes"], p=0.5, p_prime=1.0, answer="yes")
    draft = carry_out(method, SMOKERS)
    assert draft.steps[0]["columns"]["smokes"]["epsilon"] is None
    assert draft.steps[0]["epsilon"] is None
    assert "no level of local privacy" in method.cautions()[0]
    pairs = zip(cells(draft, "smokes"), SMOKERS["smokes"].cells(), strict=True)
    assert all(shown in ("yes", was) for shown, was in pairs)


def test_two_coins_need_no_answer_named() -> None:
    step = carry_out(pram(columns=["town"], p=0.5), SMOKERS).steps[0]["columns"]["town"]
    assert step["epsilon"] == pytest.approx(math.log(3))


def test_a_matrix_is_taken_cell_by_cell() -> None:
    draft = carry_out(pram(columns=["smokes"], matrix={"smokes": MATRIX}), SMOKERS)
    step = draft.steps[0]["columns"]["smokes"]
    assert step["matrix"] == MATRIX["rows"]
    assert step["epsilon"] == pytest.approx(math.log(7))  # 0.7 over 0.1 for yes
    shown = cells(draft, "smokes")[300:900]
    assert shown.count("no") / 600 == pytest.approx(0.8, abs=0.06)


def test_listed_values_may_appear_though_nobody_has_them() -> None:
    method = pram(columns=["town"], epsilon=0.5, values={"town": ["A", "B", "C"]})
    assert "C" in cells(carry_out(method, SMOKERS), "town")


def test_a_value_that_is_not_listed_is_refused_without_naming_it() -> None:
    method = pram(columns=["smokes"], epsilon=1.0, values={"smokes": ["yes"]})
    with pytest.raises(InvalidPlan, match='2 values of the column "smokes"'):
        carry_out(method, SMOKERS)


def test_too_many_categories_are_refused() -> None:
    table = Table.from_rows(["x"], [[str(index)] for index in range(1001)])
    with pytest.raises(InvalidPlan, match="coarser"):
        carry_out(pram(columns=["x"], epsilon=1.0), table)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({}, "exactly one of"),
        ({"epsilon": 1, "p": 0.5}, "exactly one of"),
        ({"epsilon": 0}, "method.epsilon: a number from 0.001"),
        ({"p": 0}, "method.p: a number from 0.001"),
        ({"p": 0.5, "p_prime": 0.5}, '"p_prime" needs "answer"'),
        ({"epsilon": 1, "p_prime": 0.5, "answer": "yes"}, 'goes with "p"'),
        ({"matrix": {"town": MATRIX}}, 'a matrix for each of "columns"'),
        ({"matrix": {"smokes": {**MATRIX, "rows": [[1, 0, 0]] * 3}}}, "cannot be inverted"),
        ({"matrix": {"smokes": {**MATRIX, "rows": [[0.5, 0.1, 0.1]] * 3}}}, "sum to 1"),
        ({"matrix": {"smokes": {**MATRIX, "rows": [[1, 0]] * 3}}}, "a chance for every value"),
        ({"matrix": {"smokes": {**MATRIX, "rows": [[1, 0, 0]]}}}, "as many rows as values"),
        ({"epsilon": 1, "values": {"town": ["A"]}}, 'the columns of "columns"'),
    ],
)
def test_a_design_that_makes_no_sense_is_refused(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=sentence):
        pram(columns=["smokes"], **keys)


def test_invariant_pram_keeps_the_shares_on_average() -> None:
    method = pram(columns=["smokes"], epsilon=0.5, invariant=True)
    found = np.mean(
        [
            carry_out(method, SMOKERS, seed).steps[0]["columns"]["smokes"]["estimated_shares"]
            for seed in range(60)
        ],
        axis=0,
    )
    assert found == pytest.approx([0.1, 0.6, 0.3], abs=0.01)
    assert carry_out(method, SMOKERS).steps[0]["epsilon"] is None
    assert "no local privacy" in method.cautions()[0]


def test_an_invariant_matrix_need_not_be_inverted() -> None:
    even = {"values": ["no", "yes", None], "rows": [[1 / 3, 1 / 3, 1 / 3]] * 3}
    draft = carry_out(pram(columns=["smokes"], matrix={"smokes": even}, invariant=True), SMOKERS)
    assert draft.steps[0]["columns"]["smokes"]["matrix"][0] == pytest.approx([0.6, 0.3, 0.1])


def test_the_same_seed_draws_the_same_cells() -> None:
    method = pram(columns=["smokes"], epsilon=1.0)
    first, again, other = (carry_out(method, SMOKERS, seed) for seed in (5, 5, 6))
    assert cells(first, "smokes") == cells(again, "smokes") != cells(other, "smokes")


def test_it_can_be_stopped() -> None:
    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        raise Cancelled("stop")

    with pytest.raises(Cancelled):
        carry_out(pram(columns=["smokes"], epsilon=1.0), SMOKERS, progress=stop)


def test_an_invariant_matrix_stays_in_the_house() -> None:
    """The true shares are the only ones it leaves unchanged: whoever has it can solve for them."""
    table = Table.from_rows(["ward"], [["A"]] * 14 + [["B"]] * 15 + [["C"]] * 11)
    method = {
        "name": "pram", "columns": ["ward"], "p": 0.7, "invariant": True,
        "values": {"ward": ["A", "B", "C"]},
    }  # fmt: skip
    plan = Plan.from_document(document({"ward": {"role": "sensitive"}}, models=[], method=method))
    outcome = protect(table, plan)
    noted = outcome.report.steps[0]
    assert noted.columns["ward"]["matrix"]
    assert publish_report(outcome.report, plan.to_document()).steps == (MethodStep("pram"),)
