import pytest

from deid_portal.engine import InvalidPlan
from tests.engine.tables import judge_rows

RULE = {"model": "multirelational-k-anonymity", "k": 2, "owner": "who"}
ROLES = {"who": {"role": "identifier"}}


def test_more_owners_than_there_are_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.k: the table has 2 owners"):
        judge_rows("zip who", ["1 ann", "1 ann", "1 bob"], RULE | {"k": 3}, ROLES)


def test_an_unknown_owner_column_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.owner: "):
        judge_rows("zip who", ["1 ann"], RULE | {"owner": "nobody"}, ROLES)


def test_three_rows_of_one_person_are_one_person() -> None:
    entry = judge_rows("zip who", ["1 ann", "1 ann", "1 ann", "2 ann", "2 bob"], RULE, ROLES)
    assert (entry.holds, entry.achieved) == (False, {"k": 1})
    assert judge_rows("zip who", ["1 ann", "1 bob", "2 ann", "2 bob"], RULE, ROLES).holds


def test_rows_without_an_owner_are_one_person_together() -> None:
    assert judge_rows("zip who", ["1 -", "1 -", "1 bob"], RULE, ROLES).achieved == {"k": 2}
