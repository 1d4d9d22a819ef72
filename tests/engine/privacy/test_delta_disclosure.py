import math

import pytest

from tests.engine.tables import judge_secrets

RULE = {"model": "delta-disclosure", "delta": math.log(2), "column": "secret"}


def test_values_may_become_twice_or_half_as_likely() -> None:
    """b: 1/3 in all, 1/2 and 1/6 in the groups: the second is half as much."""
    groups = {"1": list("aaabbb"), "2": list("aaaaab")}
    entry = judge_secrets(groups, RULE)
    assert (entry.holds, entry.achieved) == (True, {"delta": pytest.approx(math.log(2))})
    assert not judge_secrets(groups, RULE | {"delta": 0.69}).holds


def test_a_missing_value_tells_too_much_whatever_delta_is() -> None:
    entry = judge_secrets({"1": ["a", "b"], "2": ["a", "a"]}, RULE | {"delta": 3})
    assert (entry.holds, entry.achieved) == (False, {"delta": None})


def test_one_group_is_the_whole_and_tells_nothing() -> None:
    entry = judge_secrets({"1": ["a", "a", "b"]}, RULE | {"delta": 0})
    assert (entry.holds, entry.achieved) == (True, {"delta": 0.0})
