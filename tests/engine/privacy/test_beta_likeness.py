import math

import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, protect
from tests.engine.tables import document, judge_secrets

RULE = {"model": "beta-likeness", "beta": 1, "column": "secret"}
# In all, a has 1/2, b and c have 1/4 each. In the first group b has 1/2: twice as much.
GROUPS = {"1": ["a", "a", "b", "b"], "2": ["a", "a", "c", "c"]}


def test_enhanced_is_true_or_false() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.enhanced: true or false"):
        judge_secrets(GROUPS, RULE | {"enhanced": "yes"})


def test_a_value_may_become_twice_as_likely() -> None:
    entry = judge_secrets(GROUPS, RULE)
    assert (entry.holds, entry.achieved) == (True, {"beta": 1.0})
    assert not judge_secrets(GROUPS, RULE | {"beta": 0.9}).holds


def test_losing_a_value_is_no_harm() -> None:
    """The first group has no c at all."""
    assert judge_secrets(GROUPS, RULE).holds


def test_enhanced_lets_frequent_values_gain_less() -> None:
    """a: 3/4 in all, so it may gain -ln(3/4) = 0.29; in the first group it gains 1/3."""
    groups = {"1": ["a", "a"], "2": ["a", "b"]}
    assert judge_secrets(groups, RULE).holds
    assert -math.log(3 / 4) < 1 / 3
    entry = judge_secrets(groups, RULE | {"enhanced": True})
    assert (entry.holds, entry.achieved) == (False, {"beta": None})


def test_a_value_that_nobody_had_gains_without_bound() -> None:
    """Rounding at random makes 0, 10 or 20 of 9 and 11.

    To the nearest, it rounds the whole table that is compared with as well, and nothing is gained.
    """
    columns = {"zip": {"role": "quasi-identifier"}, "secret": {"role": "sensitive"}}
    table = Table.from_rows(["zip", "secret"], [["1", "9"], ["1", "11"]])
    method = {"name": "rounding", "columns": ["secret"], "base": 10}
    nearest = protect(table, Plan.from_document(document(columns, models=[RULE], method=method)))
    assert nearest.report.models[0].achieved == {"beta": 0.0}
    method = {**method, "kind": "random"}
    outcome = protect(table, Plan.from_document(document(columns, models=[RULE], method=method)))
    assert not outcome.solution
    assert outcome.report.nearest.models[0].achieved == {"beta": None}
