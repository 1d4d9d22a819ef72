import pytest

from deid_portal.engine import InvalidPlan, Plan, protect
from tests.engine.tables import FOUR, document, four_columns, four_plan, judge_secrets

RULE = {"model": "p-sensitive-k-anonymity", "p": 2, "k": 2}


def test_more_values_than_people_are_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.p: at most k is accepted"):
        four_plan(models=[RULE | {"p": 3}])


def test_needs_a_sensitive_column() -> None:
    columns = four_columns(condition={"role": "insensitive"})
    with pytest.raises(InvalidPlan, match="no sensitive column"):
        Plan.from_document(document(columns, models=[RULE]))


def test_columns_must_be_sensitive() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.columns: the names of sensitive"):
        four_plan(models=[RULE | {"columns": ["age"]}])


def test_a_pair_with_one_secret_fails_though_it_is_a_pair() -> None:
    assert judge_secrets({"1": ["a", "b"], "2": ["a", "b"]}, RULE).holds
    entry = judge_secrets({"1": ["a", "b"], "2": ["a", "a"]}, RULE)
    assert (entry.holds, entry.achieved) == (False, {"p": 1, "k": 2})


def test_a_gap_is_a_value() -> None:
    assert judge_secrets({"1": ["a", None]}, RULE).holds


def test_every_sensitive_column_counts_unless_some_are_named() -> None:
    """The ages of the two at 13053 are the same, their conditions are not."""
    columns = four_columns(age={"role": "sensitive"})
    method = {"name": "levels", "levels": {"zip": 0}, "suppression_limit": 0.5}
    both = protect(FOUR, Plan.from_document(document(columns, models=[RULE], method=method)))
    assert not both.solution
    one = document(columns, models=[RULE | {"columns": ["condition"]}], method=method)
    assert protect(FOUR, Plan.from_document(one)).report.rows.released == 2


def test_groups_are_joined_until_it_holds() -> None:
    outcome = protect(FOUR, four_plan(models=[RULE]))
    assert outcome.report.transformation.levels == {"zip": 2, "age": 1}
    assert outcome.report.models[0].parameters["columns"] == ["condition"]
