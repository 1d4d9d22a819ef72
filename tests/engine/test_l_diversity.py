from deid_portal.engine import Table, protect
from tests.engine.tables import FOUR, four_plan

TWO_VALUES = {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "condition"}


def test_group_with_one_secret_is_joined_with_another() -> None:
    outcome = protect(FOUR, four_plan(models=[TWO_VALUES]))
    assert outcome.report["transformation"]["levels"] == {"zip": 2, "age": 1}
    assert outcome.report["models"][0]["achieved"] == {"l": 2}
    assert outcome.report["models"][0]["achieved_before"] == {"l": 1}


def test_gap_in_the_sensitive_column_is_a_value() -> None:
    rows = [["13053", "28", "Flu"], ["13053", "28", None]]
    outcome = protect(
        Table.from_rows(["zip", "age", "condition"], rows), four_plan(models=[TWO_VALUES])
    )
    assert outcome.report["models"][0]["achieved"] == {"l": 2}


def test_more_values_than_there_are_is_an_answer_and_not_an_error() -> None:
    outcome = protect(FOUR, four_plan(models=[TWO_VALUES | {"l": 3}]))
    assert not outcome.solution
    assert outcome.released is None
    assert outcome.report["blocked_by"] == "l-diversity"
    assert outcome.report["nearest"]["models"][0]["achieved"] == {"l": 2}
