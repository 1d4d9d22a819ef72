import pytest

from deid_portal.engine import InvalidPlan, Plan, Table, protect
from tests.engine.tables import document, judge_rows

RULE = {"model": "k-l-anonymity", "k": 2, "l": 2}
EIGHT = ["a b e", "a b f", "c d e", "c d f", "c b e", "c b f", "a d e", "a d f"]


def test_more_people_than_there_are_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.k: the table has 2 rows"):
        judge_rows("A", ["x", "x"], RULE | {"k": 3})


def test_two_facts_fit_two_people_though_three_fit_one() -> None:
    entry = judge_rows("A B C", EIGHT, RULE)
    assert (entry.holds, entry.achieved) == (True, {"k": 2, "l": 2})
    assert judge_rows("A B C", EIGHT, RULE | {"l": 1}).achieved == {"k": 4, "l": 1}
    entry = judge_rows("A B C", EIGHT, RULE | {"l": 3})
    assert (entry.holds, entry.achieved) == (False, {"k": 1, "l": 3})


def test_more_facts_than_columns_is_k_anonymity() -> None:
    assert judge_rows("A B", ["x y", "x y"], RULE | {"l": 5}).holds


def test_a_record_that_loses_its_look_alike_goes_with_it() -> None:
    """c is alone in A; without it z is alone in B; without that b is alone in A."""
    rows = ["a x", "a x", "b y", "b z", "c z"]
    columns = {name: {"role": "quasi-identifier"} for name in "AB"}
    method = {"name": "levels", "levels": {}, "suppression_limit": 0.9}
    plan = Plan.from_document(document(columns, models=[RULE | {"l": 1}], method=method))
    outcome = protect(Table.from_rows("AB", [row.split() for row in rows]), plan)
    assert outcome.released is not None
    assert outcome.released.head(9) == [["a", "x"], ["a", "x"]]
    assert outcome.report.models[0].holds
