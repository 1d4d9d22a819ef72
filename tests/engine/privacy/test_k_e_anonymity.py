import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_secrets

RULE = {"model": "k-e-anonymity", "k": 3, "e": 2000, "column": "secret"}


def test_text_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.column: this rule is about numbers"):
        judge_secrets({"1": ["flu", "cancer", "flu"]}, RULE)


def test_numbers_must_be_different_and_far_apart() -> None:
    entry = judge_secrets({"1": [1000, 2000, 3000]}, RULE)
    assert (entry.holds, entry.achieved) == (True, {"k": 3, "e": 2000.0})
    assert not judge_secrets({"1": [1000, 1000, 3000]}, RULE).holds
    entry = judge_secrets({"1": [1000, 2000, 3000], "2": [1000, 1001, 1002]}, RULE)
    assert (entry.holds, entry.achieved) == (False, {"k": 3, "e": 2.0})


def test_a_gap_is_different_but_not_far() -> None:
    entry = judge_secrets({"1": [1000, 1500, None]}, RULE)
    assert (entry.holds, entry.achieved) == (False, {"k": 3, "e": 500.0})
