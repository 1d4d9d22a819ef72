import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_secrets

RULE = {"model": "epsilon-m-anonymity", "epsilon": 1, "m": 2, "column": "secret"}


def test_text_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.column: this rule is about numbers"):
        judge_secrets({"1": ["flu", "cancer"]}, RULE)


def test_half_may_be_near_each_other() -> None:
    """Near 10 there are 10 and 11, two of four; near 20 only itself."""
    entry = judge_secrets({"1": [10, 11, 20, 30]}, RULE)
    assert (entry.holds, entry.achieved) == (True, {"epsilon": 1.0, "m": 2.0})
    assert not judge_secrets({"1": [10, 11, 11, 30]}, RULE).holds


def test_groups_are_not_near_each_other() -> None:
    assert judge_secrets({"1": [10, 20], "2": [11, 21]}, RULE).holds


def test_joining_groups_may_break_it() -> None:
    assert judge_secrets({"1": [1, 3], "2": [2, 9]}, RULE).holds
    entry = judge_secrets({"1": [1, 3, 2, 9]}, RULE)
    assert (entry.holds, entry.achieved["m"]) == (False, pytest.approx(4 / 3))


def test_gaps_are_near_each_other_only() -> None:
    assert judge_secrets({"1": [1, None]}, RULE).holds
    assert not judge_secrets({"1": [1, None, None]}, RULE).holds
