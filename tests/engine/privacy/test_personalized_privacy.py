import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_rows

RULE = {"model": "personalized-privacy", "column": "S", "guard_column": "minds", "breach": 0.5}
TREE = {"tree": {"any": {"lungs": ["flu", "asthma"], "stomach": ["ulcer"]}}}
ROLES = {"S": {"role": "sensitive", "taxonomy": TREE}, "minds": {"role": "identifier"}}


def test_needs_a_taxonomy() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.column: this needs a taxonomy"):
        judge_rows("zip S minds", ["1 flu -"], RULE, ROLES | {"S": {"role": "sensitive"}})


def test_a_wish_that_is_no_label_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"1 values of column \"minds\" are no labels"):
        judge_rows("zip S minds", ["1 flu heart"], RULE, ROLES)


def test_who_minds_nothing_needs_no_protection() -> None:
    entry = judge_rows("zip S minds", ["1 flu -", "1 flu -"], RULE, ROLES)
    assert (entry.holds, entry.achieved) == (True, {"breach": 0.0})


def test_a_wish_covers_all_values_under_it() -> None:
    """Flu is one of three, but anything with the lungs two of three."""
    rows = ["1 flu {}", "1 asthma -", "1 ulcer -"]
    entry = judge_rows("zip S minds", [row.format("flu") for row in rows], RULE, ROLES)
    assert (entry.holds, entry.achieved) == (True, {"breach": pytest.approx(1 / 3)})
    entry = judge_rows("zip S minds", [row.format("lungs") for row in rows], RULE, ROLES)
    assert (entry.holds, entry.achieved) == (False, {"breach": pytest.approx(2 / 3)})


def test_a_wish_counts_only_in_the_group_of_who_has_it() -> None:
    rows = ["1 flu -", "1 flu -", "2 ulcer flu", "2 asthma -"]
    assert judge_rows("zip S minds", rows, RULE, ROLES).holds
