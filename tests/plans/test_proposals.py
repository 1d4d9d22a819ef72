"""Plain answers become models and a method, and can be read back from them."""

from typing import Any

import pytest

from deid_portal.engine.plan import Plan
from deid_portal.plans.proposals import Answers, Harm, Worry, propose_protection, understand
from deid_portal.plans.recommendation import Purpose, TableFacts

FACTS = TableFacts(quasi_identifiers=3, numeric=1, combinations=24, facts_known=3)
COLUMNS = {
    "a": {"role": "quasi-identifier"},
    "b": {"role": "quasi-identifier"},
    "c": {"role": "quasi-identifier"},
    "illness": {"role": "sensitive"},
    "pay": {"role": "sensitive"},
}
FULL_DOMAIN = {"name": "full-domain", "suppression_limit": 0.05, "metric": "loss"}


def _answers(**changes: Any) -> Answers:
    return Answers(**{"k": 5, "facts_known": 3, "left_out": 0.05, **changes})


@pytest.mark.parametrize(
    ("changes", "rules"),
    [
        ({}, [{"model": "k-anonymity", "k": 5}]),
        (
            {"worries": {"illness": Worry(Harm.GUESS, 0.6)}},
            [
                {"model": "k-anonymity", "k": 5},
                {"model": "confidence-bounding", "h": 0.6, "column": "illness"},
            ],
        ),
        (
            {"worries": {"illness": Worry(Harm.SAME, 3), "pay": Worry(Harm.SKEW, 0.2)}},
            [
                {"model": "k-anonymity", "k": 5},
                {"model": "l-diversity", "variant": "distinct", "l": 3, "column": "illness"},
                {"model": "t-closeness", "t": 0.2, "column": "pay"},
            ],
        ),
        ({"facts_known": 2}, [{"model": "k-l-anonymity", "k": 5, "l": 2}]),
        (
            {"facts_known": 2, "worries": {"illness": Worry(Harm.GUESS, 0.6)}},
            [{"model": "lkc-privacy", "L": 2, "K": 5, "C": 0.6, "values": {"illness": None}}],
        ),
        (
            {
                "facts_known": 2,
                "worries": {"illness": Worry(Harm.GUESS, 0.6), "pay": Worry(Harm.GUESS, 0.5)},
            },
            [
                {"model": "lkc-privacy", "L": 2, "K": 5, "C": 0.6, "values": {"illness": None}},
                {"model": "lkc-privacy", "L": 2, "K": 5, "C": 0.5, "values": {"pay": None}},
            ],
        ),
        (
            {"facts_known": 2, "worries": {"illness": Worry(Harm.SAME, 3)}},
            [
                {"model": "k-l-anonymity", "k": 5, "l": 2},
                {"model": "l-diversity", "variant": "distinct", "l": 3, "column": "illness"},
            ],
        ),
    ],
)
def test_answers_become_rules_that_the_engine_accepts(
    changes: dict[str, Any], rules: list[dict[str, Any]]
) -> None:
    answers = _answers(**changes)
    proposal = propose_protection(answers, FACTS)
    assert proposal.rules == rules
    document = {"plan": 1, "columns": COLUMNS, "models": rules, "method": proposal.method}
    assert len(Plan.from_document(document).models) == len(rules)
    assert understand(rules, proposal.method, FACTS) == answers


def test_the_method_is_the_recommended_one_unless_said() -> None:
    assert propose_protection(_answers(), FACTS).method == FULL_DOMAIN
    assert propose_protection(_answers(facts_known=2), FACTS).method == {"name": "mondrian"}
    assert propose_protection(_answers(method="top-down"), FACTS).method == {"name": "top-down"}
    learning = _answers(purpose=Purpose.CLASSIFIER, class_column="pay")
    assert propose_protection(learning, FACTS).method == {
        "name": "top-down",
        "score": "information-gain",
        "class_column": "pay",
    }


def test_microaggregation_gets_the_k_that_was_answered() -> None:
    numbers = TableFacts(quasi_identifiers=3, numeric=3, combinations=24)
    proposal = propose_protection(_answers(purpose=Purpose.NUMBERS, k=7), numbers)
    assert proposal.method == {"name": "microaggregation", "k": 7}


def test_answers_survive_being_stored() -> None:
    answers = _answers(worries={"illness": Worry(Harm.GUESS, 0.6)}, purpose=Purpose.TESTING)
    assert Answers.from_document(answers.to_document()) == answers


@pytest.mark.parametrize(
    ("rules", "method"),
    [
        ([], FULL_DOMAIN),
        ([{"model": "highest-risk", "limit": 0.2}], FULL_DOMAIN),
        ([{"model": "k-anonymity", "k": 5}], [FULL_DOMAIN, {"name": "rounding"}]),
        ([{"model": "k-anonymity", "k": 5}, {"model": "average-risk", "limit": 0.1}], FULL_DOMAIN),
        ([{"model": "k-anonymity", "k": 5}], {**FULL_DOMAIN, "time_limit_seconds": 5}),
    ],
)
def test_what_questions_cannot_say_is_left_to_experts(rules: Any, method: Any) -> None:
    assert understand(rules, method, FACTS) is None
