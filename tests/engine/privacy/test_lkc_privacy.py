import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_rows

RULE = {"model": "lkc-privacy", "L": 2, "K": 2, "C": 0.5, "values": {"S": ["t"]}}
SECRET = {"S": {"role": "sensitive"}}
# Any two of job, sex and age fit two people; t belongs to half of the movers.
SIX = [
    "mover M 30 t",
    "mover M 30 u",
    "clerk M 30 u",
    "clerk M 20 u",
    "clerk F 20 v",
    "clerk F 20 u",
]


def test_a_column_that_is_not_sensitive_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.values: the names of sensitive columns"):
        judge_rows("Q S", ["a t", "a u"], RULE | {"values": {"Q": ["a"]}}, SECRET)


def test_a_value_nobody_has_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.values\.S: 1 of the values"):
        judge_rows("Q S", ["a t", "a u"], RULE | {"values": {"S": ["x"]}}, SECRET)


def test_one_fact_fits_enough_people_and_tells_little() -> None:
    entry = judge_rows("job sex age S", SIX, RULE | {"L": 1}, SECRET)
    assert (entry.holds, entry.achieved) == (True, {"L": 1, "K": 2, "C": 0.5})


def test_two_facts_fit_one_person() -> None:
    """The clerk of 30 is the only one."""
    entry = judge_rows("job sex age S", SIX, RULE, SECRET)
    assert (entry.holds, entry.achieved["K"]) == (False, 1)


def test_without_values_every_value_of_every_sensitive_column_counts() -> None:
    """u belongs to three of four clerks."""
    entry = judge_rows("job sex age S", SIX, RULE | {"L": 1, "values": {"S": None}}, SECRET)
    assert (entry.holds, entry.achieved["C"]) == (False, 0.75)
    rule = {key: value for key, value in RULE.items() if key != "values"} | {"L": 1}
    assert judge_rows("job sex age S", SIX, rule, SECRET).parameters["values"] == {"S": None}
