from typing import Any

import pytest

from deid_portal.engine import Plan, Table, assess, protect
from deid_portal.engine.report.rules import RuleVerdict
from tests.engine.tables import FOUR, document, four_plan

TWO_VALUES = {"model": "l-diversity", "variant": "distinct", "l": 2, "column": "condition"}


def test_group_with_one_secret_is_joined_with_another() -> None:
    outcome = protect(FOUR, four_plan(models=[TWO_VALUES]))
    assert outcome.report.transformation.levels == {"zip": 2, "age": 1}
    assert outcome.report.models[0].achieved == {"l": 2}
    assert outcome.report.models[0].achieved_before == {"l": 1}


def test_gap_in_the_sensitive_column_is_a_value() -> None:
    rows = [["13053", "28", "Flu"], ["13053", "28", None]]
    outcome = protect(
        Table.from_rows(["zip", "age", "condition"], rows), four_plan(models=[TWO_VALUES])
    )
    assert outcome.report.models[0].achieved == {"l": 2}


def test_more_values_than_there_are_is_an_answer_and_not_an_error() -> None:
    outcome = protect(FOUR, four_plan(models=[TWO_VALUES | {"l": 3}]))
    assert not outcome.solution
    assert outcome.released is None
    assert outcome.report.blocked_by == "l-diversity"
    assert outcome.report.nearest.models[0].achieved == {"l": 2}


def diversity(secrets: str, **parameters: Any) -> RuleVerdict:
    """Return what one class with these secrets achieves, and whether the rule holds."""
    table = Table.from_rows(["zip", "condition"], [["1", secret] for secret in secrets])
    columns = {"zip": {"role": "quasi-identifier"}, "condition": {"role": "sensitive"}}
    model = {"model": "l-diversity", "column": "condition", **parameters}
    plan = Plan.from_document(document(columns, models=[model], method={"name": "none"}))
    return assess(table, plan).models[0]


def test_probabilistic_looks_at_the_most_frequent_value() -> None:
    entry = diversity("aabc", variant="probabilistic", l=2)
    assert (entry.holds, entry.achieved) == (True, {"l": 2.0})
    assert not diversity("aaabc", variant="probabilistic", l=2).holds


def test_entropy_counts_values_as_if_equally_frequent() -> None:
    entry = diversity("abc", variant="entropy", l=3)
    assert entry.holds
    assert entry.achieved["l"] == pytest.approx(3)
    skewed = diversity("aabc", variant="entropy", l=2.8)
    assert skewed.achieved["l"] == pytest.approx(2 * 2**0.5)
    assert skewed.holds


def test_recursive_weighs_the_first_value_against_the_rare_ones() -> None:
    """a ×4, b ×2, c, d: 4 < c · (1 + 1) at l = 3 only for c above 2."""
    assert not diversity("aaaabbcd", variant="recursive", l=3, c=2).holds
    entry = diversity("aaaabbcd", variant="recursive", l=3, c=2.5)
    assert (entry.holds, entry.achieved) == (True, {"l": 3, "c": 2.5})
