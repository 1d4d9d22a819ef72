import pytest

from deid_portal.engine import InvalidPlan, protect
from tests.engine.tables import FOUR, four_plan, judge_secrets


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.limit: a number from 0 to 1"):
        four_plan(models=[{"model": "sample-uniqueness", "limit": 1.5}])


def test_people_alone_in_their_group_are_counted() -> None:
    rule = {"model": "sample-uniqueness", "limit": 0.25}
    entry = judge_secrets({"1": ["a", "b", "c"], "2": ["a"]}, rule)
    assert (entry.holds, entry.achieved) == (True, {"limit": 0.25})
    assert not judge_secrets({"1": ["a", "b"], "2": ["a"]}, rule).holds


def test_nothing_is_suppressed_for_it() -> None:
    """Two of four are alone: allowed at a half, not at a third."""
    half = protect(FOUR, four_plan(models=[{"model": "sample-uniqueness", "limit": 0.5}]))
    assert half.report.transformation.levels == {"zip": 0, "age": 0}
    third = protect(FOUR, four_plan(models=[{"model": "sample-uniqueness", "limit": 0.3}]))
    assert third.report.transformation.levels == {"zip": 0, "age": 1}
    assert third.report.rows.suppressed == 0
