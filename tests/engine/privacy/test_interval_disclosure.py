import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_secrets

RULE = {"model": "interval-disclosure", "width": 10, "limit": 0.5, "column": "secret"}


def test_text_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.column: this rule is about numbers"):
        judge_secrets({"1": ["flu", "cancer"]}, RULE)


def test_numbers_near_the_mean_of_their_group_are_disclosed() -> None:
    """The first group's mean is 100: 95 and 105 are within 10. The second's is 300: none is."""
    entry = judge_secrets({"1": [95, 105], "2": [200, 400]}, RULE)
    assert (entry.holds, entry.achieved) == (True, {"width": 10.0, "limit": 0.5})
    assert not judge_secrets({"1": [95, 105], "2": [200, 400]}, RULE | {"limit": 0.4}).holds


def test_the_end_of_the_interval_is_inside() -> None:
    assert judge_secrets({"1": [90, 110]}, RULE).achieved["limit"] == 1.0


def test_a_gap_is_counted_but_cannot_be_guessed() -> None:
    assert judge_secrets({"1": [95, 105, None, None]}, RULE).achieved["limit"] == 0.5


def test_joining_groups_may_disclose_more() -> None:
    """The means 50 and 150 are far from every number, 100 is not."""
    assert judge_secrets({"1": [0, 100], "2": [100, 200]}, RULE).achieved["limit"] == 0.0
    assert judge_secrets({"1": [0, 100, 100, 200]}, RULE).achieved["limit"] == 0.5
