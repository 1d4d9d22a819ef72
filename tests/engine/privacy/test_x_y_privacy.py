import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_rows

RULE = {"model": "x-y-privacy", "x": ["job"], "y": "S", "k": 2, "h": 0.5}
ROLES = {"S": {"role": "sensitive"}}
ROWS = ["mover 1 t", "mover 2 u", "clerk 3 t", "clerk 4 u"]


def test_x_must_be_quasi_identifiers_and_y_must_not() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.x: the names of quasi-identifiers"):
        judge_rows("job age S", ROWS, RULE | {"x": ["S"]}, ROLES)
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.y: the name of a column that is no"):
        judge_rows("job age S", ROWS, RULE | {"y": "age"}, ROLES)


def test_one_of_k_and_h_is_needed() -> None:
    rule = {"model": "x-y-privacy", "x": ["job"], "y": "S"}
    with pytest.raises(InvalidPlan, match=r"^models\[0\]: \"k\" or \"h\" or both"):
        judge_rows("job age S", ROWS, rule, ROLES)


def test_only_the_columns_of_x_are_known() -> None:
    """Everybody is unique by age, but only the job counts."""
    entry = judge_rows("job age S", ROWS, RULE, ROLES)
    assert (entry.holds, entry.achieved) == (True, {"k": 2, "h": 0.5})
    entry = judge_rows("job age S", ROWS, RULE | {"x": ["job", "age"]}, ROLES)
    assert (entry.holds, entry.achieved) == (False, {"k": 1, "h": 1.0})


def test_the_halves_of_the_rule_stand_alone() -> None:
    rows = ["mover 1 t", "mover 2 t", "mover 3 u"]
    anonymity = {"model": "x-y-privacy", "x": ["job"], "y": "S", "k": 2}
    linkability = {"model": "x-y-privacy", "x": ["job"], "y": "S", "h": 0.5}
    assert judge_rows("job age S", rows, anonymity, ROLES).holds
    assert not judge_rows("job age S", rows, linkability, ROLES).holds
