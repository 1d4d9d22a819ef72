import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_secrets

RULE = {"model": "confidence-bounding", "h": 0.5, "column": "secret"}


def test_an_empty_list_of_values_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.values: a list of one or more"):
        judge_secrets({"1": ["a", "b"]}, RULE | {"values": []})


def test_the_worst_group_counts() -> None:
    entry = judge_secrets({"1": ["a", "b"], "2": ["a", "a", "a", "b"]}, RULE)
    assert (entry.holds, entry.achieved) == (False, {"h": 0.75})


def test_only_listed_values_are_bounded() -> None:
    groups = {"1": ["a", "b"], "2": ["a", "a", "a", "b"]}
    entry = judge_secrets(groups, RULE | {"values": ["b"]})
    assert (entry.holds, entry.achieved) == (True, {"h": 0.5})


def test_a_gap_can_be_bounded_too() -> None:
    groups = {"1": ["a", None, None]}
    assert not judge_secrets(groups, RULE | {"values": [None]}).holds
