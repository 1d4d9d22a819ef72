import pytest

from deid_portal.engine import InvalidPlan, protect
from tests.engine.tables import FOUR, four_plan, judge_secrets


def test_a_risk_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.limit: "):
        four_plan(models=[{"model": "highest-risk", "limit": 0}])


def test_a_third_needs_groups_of_three() -> None:
    rule = {"model": "highest-risk", "limit": 1 / 3}
    assert judge_secrets({"1": ["a", "b", "c"]}, rule).holds
    entry = judge_secrets({"1": ["a", "b", "c"], "2": ["a", "b"]}, rule)
    assert (entry.holds, entry.achieved) == (False, {"limit": 0.5})


def test_finds_what_k_anonymity_finds() -> None:
    outcome = protect(FOUR, four_plan(models=[{"model": "highest-risk", "limit": 0.5}]))
    assert outcome.report.transformation.levels == {"zip": 0, "age": 1}
