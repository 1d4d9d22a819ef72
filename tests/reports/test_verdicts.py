"""The report in one sentence: what was reached, what fails, what could still be gained."""

from dataclasses import replace
from typing import Any

import pytest

from deid_portal.engine.report.transformation import SearchSummary
from deid_portal.policies.rules import Rules
from deid_portal.reports.verdicts import judge_report, key_numbers
from tests.engine.tables import FOUR, four_columns
from tests.reports.samples import make_report, of_old, two_left_out

LENIENT = Rules(
    least_k=2,
    highest_risk=0.5,
    most_left_out=0.5,
    most_left_out_of_group=1,
    protect_sensitive=False,
    surest_guess=1,
)


def test_all_rules_and_the_policy_met_is_a_green_shield() -> None:
    verdict = judge_report(two_left_out(), LENIENT)
    assert (verdict.tone, verdict.icon) == ("ok", "shield-check")
    assert verdict.sentence.startswith("Every person now hides among at least 10 look-alikes")
    assert verdict.rules == "The rule you chose holds."
    assert not verdict.gates


def test_a_failing_gate_is_named_beside_a_green_shield() -> None:
    strict = replace(LENIENT, most_left_out_of_group=0.1, smallest_group_judged=5)
    verdict = judge_report(two_left_out(), strict)
    assert verdict.tone == "ok"
    assert verdict.gates_lead == "One policy gate fails:"
    words, has = verdict.gates[0]
    assert words == "small groups pay most"
    assert "left out" in has
    both = judge_report(two_left_out(), replace(strict, surest_guess=0.1))
    assert both.gates_lead == "Two policy gates fail:"


def test_what_is_not_proved_says_how_much_could_be_gained() -> None:
    loss = two_left_out().utility.loss
    assert loss is not None
    search = SearchSummary(900, 80, False, 60.2, "loss", bound=loss - 0.02)
    verdict = judge_report(replace(two_left_out(), search=search), LENIENT)
    assert verdict.search == "the best found in 60 s, 80 of 900 combinations checked"
    assert verdict.rules.endswith("At most 0.02 of loss could still be gained.")


def test_no_solution_is_a_red_shield() -> None:
    report = make_report(models=[{"model": "l-diversity", "l": 4, "column": "condition"}])
    verdict = judge_report(report, LENIENT)
    assert (verdict.tone, verdict.icon) == ("bad", "shield-x")
    assert verdict.sentence.endswith("Nothing was released.")


@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ({"name": "none"}, "9\u00a0% of the people still stand alone, and no detail was lost."),
        ({"name": "pram", "columns": ["condition"], "epsilon": 1}, "with values that were changed"),
        ({"name": "sampling", "share": 0.9}, "of the people still stand alone"),
    ],
)
def test_a_release_without_rules_says_who_stands_alone(
    method: dict[str, Any], sentence: str
) -> None:
    verdict = judge_report(make_report(models=[], method=method))
    assert verdict.tone == "warn"
    assert sentence in verdict.sentence
    assert verdict.rules == "No rule was asked for."


def test_eight_numbers_stand_before_and_after() -> None:
    numbers = {own.label: own for own in key_numbers(two_left_out(), Rules())}
    assert len(numbers) == 8
    diversity = numbers["Condition per group (l)"]
    assert (diversity.before, diversity.value, diversity.note) == ("1", "2", "not asked")
    assert numbers["Condition, distance to table (t)"].value == "0.36"
    assert numbers["Highest risk"].note == "limit 20\u00a0%"
    assert numbers["Left out"].note == "9.1\u00a0%, limit 50\u00a0%"
    assert numbers["One of a kind"].note == "2 rows before"


def test_rules_that_were_asked_for_say_so() -> None:
    rules = [
        {"model": "k-anonymity", "k": 2},
        {"model": "l-diversity", "l": 2, "column": "condition"},
        {"model": "t-closeness", "t": 0.5, "column": "condition"},
    ]
    numbers = {own.label: own for own in key_numbers(make_report(models=rules))}
    assert numbers["Hides among (k)"].note == "asked 2"
    assert numbers["Condition per group (l)"].note == "asked 2"
    assert numbers["Condition, distance to table (t)"].note == "asked 0.5"


def test_without_a_sensitive_column_l_and_t_say_why_they_are_missing() -> None:
    columns = four_columns(condition={"role": "insensitive"})
    report = make_report(FOUR, columns)
    numbers = {own.label: own for own in key_numbers(report)}
    for label in ("Values per group (l)", "Distance to table (t)"):
        assert numbers[label].value == "–"
        assert numbers[label].note == "not asked, no sensitive column"


def test_reports_of_old_have_a_verdict_too() -> None:
    old = of_old(two_left_out())
    assert judge_report(old).sentence == judge_report(two_left_out()).sentence
    numbers = {own.label: own for own in key_numbers(old)}
    assert numbers["Values per group (l)"].note == "not measured"
