"""What a plan nothing satisfies is offered works, and nothing smaller of its kind does."""

from typing import Any, TypeVar

import pytest

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.remedies import find_remedies
from deid_portal.engine.report.remedies import (
    ColumnRemedy,
    FoundRemedy,
    LevelRemedy,
    LimitRemedy,
    MethodRemedy,
    RuleRemedy,
    SecretRemedy,
    WithoutRuleRemedy,
)
from tests.engine.tables import document
from tests.patience import PATIENCE

# Forty people in two towns: in the first everybody has the flu, in the second four in ten.
ROWS = [["13053", "f" if n % 2 else "m", "Flu"] for n in range(20)] + [
    ["14850", "f" if n % 2 else "m", "Flu" if n < 8 else "Cancer"] for n in range(20)
]
TABLE = Table.from_rows(["zip", "sex", "condition"], ROWS)
COLUMNS: dict[str, Any] = {
    "zip": {"role": "quasi-identifier"},
    "sex": {"role": "quasi-identifier"},
    "condition": {"role": "sensitive"},
}
K = {"model": "k-anonymity", "k": 5}
SURE = {"model": "confidence-bounding", "h": 0.55, "column": "condition"}


def remedies_for(**changes: Any) -> tuple[FoundRemedy, ...]:
    plan = Plan.from_document(document(COLUMNS, **changes))
    outcome = protect(TABLE, plan)
    assert not outcome.solution
    return find_remedies(TABLE, plan, outcome.report, seconds=PATIENCE)


Remedy = TypeVar("Remedy", bound=FoundRemedy)


def one(kind: type[Remedy], remedies: tuple[FoundRemedy, ...]) -> Remedy:
    return next(remedy for remedy in remedies if isinstance(remedy, kind))


def check_works(remedy: FoundRemedy, **changes: Any) -> None:
    """Carry out the changed plan and compare with what was told."""
    outcome = protect(TABLE, Plan.from_document(document(COLUMNS, **changes)))
    assert outcome.solution
    assert outcome.report.rows.suppressed == remedy.suppressed
    assert outcome.report.utility.loss == pytest.approx(remedy.loss)


def test_the_smallest_limit_that_works_is_found() -> None:
    remedy = one(LimitRemedy, remedies_for(models=[K, {**SURE, "h": 0.6}]))
    # At best the first town goes: half of the people.
    assert (remedy.from_, remedy.to, remedy.suppressed) == (0.0, 0.5, 20)
    method = {"name": "full-domain", "suppression_limit": 0.5}
    check_works(remedy, models=[K, {**SURE, "h": 0.6}], method=method)
    smaller = {"name": "full-domain", "suppression_limit": 0.499}
    plan = Plan.from_document(document(COLUMNS, models=[K, {**SURE, "h": 0.6}], method=smaller))
    assert not protect(TABLE, plan).solution


def test_the_most_that_can_be_asked_is_found() -> None:
    remedy = one(RuleRemedy, remedies_for(models=[K, SURE]))
    # 28 of 40 have the flu, so nobody can promise less than 70 %.
    assert (remedy.model, remedy.parameter, remedy.column) == (
        "confidence-bounding",
        "h",
        "condition",
    )
    assert (remedy.from_, remedy.to) == (0.55, 0.7)
    check_works(remedy, models=[K, {**SURE, "h": 0.7}])


def test_a_number_the_rule_itself_refuses_is_never_tried() -> None:
    # However little c allows, l stops at 2: nothing of this rule can be asked here.
    rule = {"model": "l-diversity", "variant": "recursive", "l": 3, "c": 0.1, "column": "condition"}
    remedies = remedies_for(models=[K, rule])
    assert not [
        found for found in remedies if isinstance(found, RuleRemedy) and found.parameter == "l"
    ]
    check_works(one(WithoutRuleRemedy, remedies), models=[K])


def test_whole_numbers_stay_whole() -> None:
    remedy = one(
        RuleRemedy, remedies_for(models=[{"model": "l-diversity", "l": 5, "column": "condition"}])
    )
    assert (remedy.parameter, remedy.to) == ("l", 2)
    assert isinstance(remedy.to, int)


def test_a_rule_that_stands_alone_in_the_way_is_named() -> None:
    remedy = one(WithoutRuleRemedy, remedies_for(models=[K, SURE]))
    assert remedy.model == "confidence-bounding"
    check_works(remedy, models=[K])


def test_levels_chosen_by_hand_are_mended_by_one_step() -> None:
    method = {"name": "levels", "levels": {"zip": 0, "sex": 0}, "suppression_limit": 0.0}
    rules = [{"model": "k-anonymity", "k": 15}]
    remedy = one(LevelRemedy, remedies_for(models=rules, method=method))
    assert (remedy.column, remedy.from_, remedy.to) == ("zip", 0, 1)
    check_works(remedy, models=rules, method={**method, "levels": {"zip": 1}})


def test_leaving_out_a_column_counts_its_detail_as_lost() -> None:
    method = {"name": "levels", "levels": {}, "suppression_limit": 0.0}
    remedies = remedies_for(models=[{"model": "k-anonymity", "k": 15}], method=method)
    left_out = [remedy for remedy in remedies if isinstance(remedy, ColumnRemedy)]
    assert {remedy.column for remedy in left_out} == {"zip", "sex"}
    assert all(remedy.loss == pytest.approx(0.5) for remedy in left_out)


def test_a_search_does_not_leave_out_what_it_could_hide() -> None:
    assert not [own for own in remedies_for(models=[K, SURE]) if isinstance(own, ColumnRemedy)]


def test_levels_chosen_by_hand_can_be_searched_for() -> None:
    method = {"name": "levels", "levels": {}, "suppression_limit": 0.0}
    rules = [{"model": "k-anonymity", "k": 15}]
    remedy = one(MethodRemedy, remedies_for(models=rules, method=method))
    check_works(remedy, models=rules, method={"name": "full-domain"})


def test_the_secret_can_be_kept() -> None:
    remedy = one(SecretRemedy, remedies_for(models=[K, SURE]))
    assert (remedy.column, remedy.models) == ("condition", ("confidence-bounding",))
    assert (remedy.suppressed, remedy.loss) == (0, 0)


def test_other_methods_are_mended_too() -> None:
    rules = [{"model": "l-diversity", "l": 3, "column": "condition"}]
    remedy = one(RuleRemedy, remedies_for(models=rules, method={"name": "mondrian"}))
    assert remedy.to == 2
    check_works(remedy, models=[{**rules[0], "l": 2}], method={"name": "mondrian"})


def test_without_time_nothing_is_promised() -> None:
    plan = Plan.from_document(document(COLUMNS, models=[K, SURE]))
    report = protect(TABLE, plan).report
    assert find_remedies(TABLE, plan, report, seconds=0) == ()


def test_somebody_who_waits_is_told_and_can_stop() -> None:
    calls: list[str] = []
    plan = Plan.from_document(document(COLUMNS, models=[K, SURE]))
    find_remedies(
        TABLE,
        plan,
        protect(TABLE, plan).report,
        lambda done, total, phase, **figures: calls.append(phase),
        seconds=PATIENCE,
    )
    assert set(calls) == {"measure"}
