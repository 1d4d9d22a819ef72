"""A plan against the policy before anything is run: met, would fail, or later."""

from typing import Any

import pytest

from deid_portal.engine import Plan
from deid_portal.plans.burdens import GroupBurden, worst_of
from deid_portal.plans.estimation import RunEstimate
from deid_portal.plans.expectations import expect, unmet_rules_summary
from deid_portal.policies.rules import Rules

COLUMNS: dict[str, Any] = {
    "name": {"role": "identifier"},
    "age": {"role": "quasi-identifier"},
    "zip": {"role": "quasi-identifier"},
    "illness": {"role": "sensitive"},
}
K5 = {"model": "k-anonymity", "k": 5}
BOUND = {"model": "confidence-bounding", "h": 0.6, "column": "illness"}
DIVERSE = {"model": "l-diversity", "variant": "distinct", "l": 3, "column": "illness"}
METHOD = {"name": "full-domain", "suppression_limit": 0.1}
STRICT: dict[str, Any] = {
    "most_left_out_of_group": 0.5,
    "surest_guess": 0.6,
    "attacks": {"record-linkage": 0.2},
}


def _plan(models: list[Any], method: Any = METHOD, **columns: Any) -> Plan:
    document = {"plan": 1, "columns": {**COLUMNS, **columns}, "models": models, "method": method}
    return Plan.from_document(document)


def _estimate(
    left_out: float = 0.04, *burdens: GroupBurden, is_possible: bool = True
) -> RunEstimate:
    return RunEstimate(
        left_out, 0.3, 1.0, patterns=9, milliseconds=9, is_possible=is_possible, rows=1000,
        burdens=burdens,
    )  # fmt: skip


def _line(
    plan: Plan, asks: str, estimate: RunEstimate | None = None, **rules: Any
) -> tuple[str, str]:
    lines = expect(Rules(**{**STRICT, **rules}), plan, estimate)
    line = next(line for line in lines if asks in line.asks)
    return line.state, line.has


@pytest.mark.parametrize(
    ("models", "asks", "told"),
    [
        ([K5], "hides among", ("met", "you chose 5")),
        ([{"model": "k-anonymity", "k": 4}], "hides among", ("fails", "you chose 4")),
        ([], "hides among", ("fails", "no rule asks for it")),
        ([{"model": "highest-risk", "limit": 0.1}], "hides among", ("met", "you chose 10")),
        ([{"model": "lkc-privacy", "L": 1, "K": 5, "C": 0.5}], "hides among",
         ("later", "only for some of the facts; measured after the run")),
        ([K5], "risk is above", ("met", "1 in 5 = 20\u00a0%")),
        ([{"model": "k-anonymity", "k": 3}], "risk is above", ("fails", "1 in 3 = 33.3\u00a0%")),
        ([K5], "sensitive column is protected", ("fails", "illness has no such rule")),
        ([K5, DIVERSE], "sensitive column is protected", ("met", "illness")),
        ([K5, DIVERSE], "guessed right", ("later", "illness: measured after the run")),
        ([K5, BOUND], "guessed right", ("met", "at most 60\u00a0%")),
        ([K5, {**BOUND, "h": 0.7}], "guessed right", ("fails", "at most 70\u00a0%")),
        ([{"model": "lkc-privacy", "L": 2, "K": 5, "C": 0.5}], "guessed right",
         ("met", "at most 50\u00a0%")),
        ([K5], "No identifier", ("met", "1 removed")),
        ([K5], "attack record linkage", ("later", "after the run")),
        ([K5], "earlier releases", ("later", "after the run")),
    ],
)  # fmt: skip
def test_what_the_plan_itself_says(models: list[Any], asks: str, told: tuple[str, str]) -> None:
    assert _line(_plan(models), asks) == told


def test_the_models_a_policy_accepts_are_asked_for_by_name() -> None:
    asks = "sensitive column is protected"
    wanted = {"sensitive_models": ("t-closeness",)}
    assert _line(_plan([K5, DIVERSE]), asks, **wanted)[0] == "fails"


def test_who_is_left_out_comes_from_the_estimate_else_from_the_limit() -> None:
    asks = "rows are left out"
    plan = _plan([K5])
    assert _line(plan, asks, _estimate(0.04)) == ("met", "estimate 4\u00a0%")
    assert _line(plan, asks, _estimate(0.2)) == ("fails", "estimate 20\u00a0%")
    assert _line(plan, asks) == ("met", "you allow 10\u00a0%")
    assert _line(plan, asks, _estimate(0.9, is_possible=False)) == ("met", "you allow 10\u00a0%")
    assert _line(_plan([K5], {"name": "mondrian"}), asks) == ("later", "after the run")


def test_groups_are_judged_from_the_size_the_policy_names() -> None:
    small, large = GroupBurden("age", "99", 20, 20), GroupBurden("zip", "1", 400, 300)
    estimate = _estimate(0.04, large, small)
    plan = _plan([K5])
    assert _line(plan, "No group", estimate) == ("fails", "zip “1”, 75\u00a0%")
    assert _line(plan, "No group", estimate, smallest_group_judged=500)[0] == "met"
    assert _line(plan, "No group") == ("later", "after the run")


def test_the_sentence_counts_what_would_fail() -> None:
    assert unmet_rules_summary(expect(Rules(), _plan([K5, BOUND]), None)) == ""
    one = unmet_rules_summary(expect(Rules(), _plan([K5]), None))
    assert one == ("One policy rule would fail, so a release would need a change or a waiver.")
    assert unmet_rules_summary(expect(Rules(), _plan([]), None)).startswith(
        "2 policy rules would fail"
    )


@pytest.mark.parametrize(
    ("burden", "words"),
    [
        (
            GroupBurden("race", "Other", 231, 116),
            "Half of the 231 people with race “Other” would be",
        ),
        (
            GroupBurden("race", "Other", 231, 231),
            "All 231 people with race “Other” would be left out.",
        ),
        (GroupBurden("race", "Other", 100, 30), "30\u00a0% of the 100 people with race “Other”"),
    ],
)
def test_who_pays_is_said_in_a_sentence(burden: GroupBurden, words: str) -> None:
    assert burden.sentence.startswith(words)


def test_the_worst_of_the_large_groups_is_named() -> None:
    burdens = [
        GroupBurden("a", "x", 500, 50),
        GroupBurden("b", "y", 200, 100),
        GroupBurden("c", "z", 9, 9),
    ]
    assert worst_of(burdens, 100) == burdens[1]
    assert worst_of([], 100) is None
