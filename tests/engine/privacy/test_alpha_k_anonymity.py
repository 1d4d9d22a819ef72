import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_secrets

RULE = {"model": "alpha-k-anonymity", "alpha": 0.5, "k": 2, "column": "secret"}


def test_a_value_nobody_has_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.values: 1 of the values do not occur"):
        judge_secrets({"1": ["a", "b"]}, RULE | {"values": ["flue"]})


def test_half_of_a_group_may_share_a_value_but_not_more() -> None:
    entry = judge_secrets({"1": ["a", "a", "b", "c"]}, RULE)
    assert (entry.holds, entry.achieved) == (True, {"alpha": 0.5, "k": 4})
    entry = judge_secrets({"1": ["a", "a", "b"]}, RULE)
    assert (entry.holds, entry.achieved) == (False, {"alpha": pytest.approx(2 / 3), "k": 3})


def test_a_harmless_value_may_be_frequent() -> None:
    groups = {"1": ["flu", "flu", "flu", "hiv"]}
    assert not judge_secrets(groups, RULE).holds
    entry = judge_secrets(groups, RULE | {"values": ["hiv"]})
    assert (entry.holds, entry.achieved["alpha"]) == (True, 0.25)


def test_a_group_must_have_k_people() -> None:
    assert not judge_secrets({"1": ["a", "b"], "2": ["c"]}, RULE | {"values": ["a"]}).holds
