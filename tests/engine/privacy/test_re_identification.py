import pytest

from deid_portal.engine import InvalidPlan, protect
from tests.engine.tables import FOUR, four_plan, judge_rows

RULE = {"model": "re-identification", "limit": 0.5}


def test_a_share_above_one_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.knows_limit: a number from 0 to 1"):
        judge_rows("zip", ["1"], RULE | {"knows_limit": 2})


def test_pairs_are_found_half_of_the_time_and_never_for_sure() -> None:
    entry = judge_rows("zip", ["1", "1", "2", "2"], RULE)
    assert (entry.holds, entry.achieved) == (True, {"limit": 0.5, "knows_limit": 0.0})


def test_who_is_alone_is_found_for_sure() -> None:
    rows = ["1", "1", "1", "2"]
    entry = judge_rows("zip", rows, RULE)
    assert (entry.holds, entry.achieved) == (False, {"limit": 0.5, "knows_limit": 0.25})
    assert judge_rows("zip", rows, RULE | {"knows_limit": 0.25}).holds


def test_groups_are_joined_until_it_holds() -> None:
    outcome = protect(FOUR, four_plan(models=[RULE]))
    assert outcome.report.transformation.levels == {"zip": 0, "age": 1}
