from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, protect
from tests.engine.tables import FOUR, four_plan, judge_rows

ROLES = {"S": {"role": "sensitive"}}
ROWS = ["1 clerk flu", "1 clerk flu", "1 clerk cold", "2 mover flu"]


def rule(given: dict[str, Any], then: dict[str, Any], **changes: float) -> dict[str, Any]:
    limits = {"support": 0.25, "confidence": 0.6} | changes
    return {"model": "result-privacy", "rules": [{"if": given, "then": then}], **limits}


def test_a_rule_without_a_conclusion_is_refused() -> None:
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.rules\[0\]: different columns"):
        judge_rows("zip job S", ROWS, rule({"job": "clerk"}, {}), ROLES)


def test_a_rule_about_two_sensitive_columns_is_refused() -> None:
    roles = ROLES | {"job": {"role": "sensitive"}}
    with pytest.raises(InvalidPlan, match=r"^models\[0\]\.rules\[0\]: at most one sensitive"):
        judge_rows("zip job S", ROWS, rule({"job": "clerk"}, {"S": "flu"}), roles)


def test_a_rule_that_is_often_right_is_found() -> None:
    """Two of three clerks have the flu: half of all people, right two times in three."""
    entry = judge_rows("zip job S", ROWS, rule({"job": "clerk"}, {"S": "flu"}), ROLES)
    assert not entry.holds
    assert entry.achieved == {"found": 1, "confidence": pytest.approx(2 / 3)}


def test_a_rule_that_is_rarely_right_or_rare_is_not() -> None:
    given, then = {"job": "clerk"}, {"S": "flu"}
    assert judge_rows("zip job S", ROWS, rule(given, then, confidence=0.7), ROLES).holds
    assert judge_rows("zip job S", ROWS, rule(given, then, support=0.6), ROLES).holds


def test_a_rule_may_be_about_quasi_identifiers_only() -> None:
    assert not judge_rows("zip job S", ROWS, rule({"zip": "1"}, {"job": "clerk"}), ROLES).holds


def test_hiding_the_value_hides_the_rule() -> None:
    """Both at 13068 have the flu; at 1306* nobody shows 13068 any more."""
    model = rule({"zip": "13068"}, {"condition": "Flu"})
    outcome = protect(FOUR, four_plan(models=[model]))
    assert outcome.report.transformation.levels == {"zip": 1, "age": 0}
    named = rule({"zip": "1306*"}, {"condition": "Flu"})
    levels = protect(FOUR, four_plan(models=[model, named])).report.transformation.levels
    assert levels == {"zip": 2, "age": 0}
