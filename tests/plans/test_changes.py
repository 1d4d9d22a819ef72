"""Changes declared as data: what they make of a plan, and how they say it."""

from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, Plan
from deid_portal.engine.privacy import MODELS
from deid_portal.plans.basis import Basis
from deid_portal.plans.changes import (
    AddMethod,
    AddRule,
    Change,
    DropRule,
    HideAmong,
    LeaveOut,
    RoundNumbers,
    SetLevel,
    SetLevels,
    SetMethod,
    SetRole,
    SetRule,
    SetWeight,
    UseMethod,
    apply_changes,
    read_changes,
    write_changes,
)

MASK = {"mask": {"from": "right", "character": "*"}}
PLAN: dict[str, Any] = {
    "plan": 1,
    "columns": {
        "Name": {"role": "identifier"},
        "Zip": {"role": "quasi-identifier", "taxonomy": MASK},
        "Age": {"role": "quasi-identifier", "type": "integer"},
        "Condition": {"role": "sensitive"},
    },
    "models": [
        {"model": "k-anonymity", "k": 5},
        {"model": "l-diversity", "variant": "distinct", "l": 3, "column": "Condition"},
    ],
    "method": {"name": "full-domain", "suppression_limit": 0.02, "metric": "loss"},
}
BASIS = Basis(PLAN, levels={"Zip": 1, "Age": 0}, heights={"Zip": 4, "Age": 1})
LEVELS = {"name": "levels", "levels": {"Zip": 2, "Age": 0}, "suppression_limit": 0.02}
NOISE = {"name": "noise", "columns": ["Age"], "scale": 0.1}


def _after(*changes: Change, basis: Basis = BASIS) -> dict[str, Any]:
    return apply_changes(basis, changes)[0].plan


@pytest.mark.parametrize(
    ("change", "part", "expected"),
    [
        (HideAmong(10), "models", [{"model": "k-anonymity", "k": 10}, PLAN["models"][1]]),
        (LeaveOut(0.1), "method", {**PLAN["method"], "suppression_limit": 0.1}),
        (SetLevel("Zip", 2), "method", LEVELS),
        (SetLevels({"Zip": 2, "Age": 0}), "method", LEVELS),
        (SetWeight("Zip", 3), "columns", PLAN["columns"]["Zip"] | {"weight": 3}),
        (SetRole("Zip", "insensitive"), "columns", {"role": "insensitive"}),
        (SetRole("Zip", "sensitive"), "columns", {"role": "sensitive", "taxonomy": MASK}),
        (SetRule("l-diversity", "l", 4), "models",
         [PLAN["models"][0], PLAN["models"][1] | {"l": 4}]),
        (AddRule({"model": "highest-risk", "limit": 0.1}), "models",
         [*PLAN["models"], {"model": "highest-risk", "limit": 0.1}]),
        (DropRule("l-diversity", "Condition"), "models", PLAN["models"][:1]),
        (UseMethod({"name": "local-recoding"}), "method",
         {"name": "local-recoding", "suppression_limit": 0.02}),
        (UseMethod({"name": "mondrian"}), "method", {"name": "mondrian"}),
        (AddMethod(NOISE), "method", [PLAN["method"], NOISE]),
        (SetMethod("metric", "entropy"), "method", {**PLAN["method"], "metric": "entropy"}),
    ],
)  # fmt: skip
def test_a_change_makes_a_valid_plan_and_leaves_the_first_alone(
    change: Change, part: str, expected: Any
) -> None:
    before = write_changes(change), dict(PLAN)
    after = _after(change)
    Plan.from_document(after)
    assert (after[part]["Zip"] if part == "columns" else after[part]) == expected
    assert (write_changes(change), PLAN) == before
    assert read_changes(write_changes(change)) == [change]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (HideAmong(10), "hides among 10 instead of 5"),
        (LeaveOut(0.1), "may leave out 10\u00a0% instead of 2\u00a0%"),
        (SetLevel("Zip", 2), "Zip one step coarser"),
        (SetLevel("Zip", 0), "Zip one step finer"),
        (SetLevel("Zip", 4), "Zip at level 4 instead of 1"),
        (SetLevels({"Zip": 3, "Age": 0}), "Zip at level 3 instead of 1"),
        (SetRole("Zip", "insensitive"), "Zip is harmless instead of a quasi-identifier"),
        (SetWeight("Zip", 3), "Zip weighs 3 instead of 1"),
        (SetRule("l-diversity", "l", 4), "l-diversity with l 4 instead of 3"),
        (AddRule({"model": "t-closeness", "t": 0.3, "column": "Condition"}),
         "also t-closeness on Condition (t 0.3)"),
        (DropRule("l-diversity", "Condition"), "without l-diversity on Condition"),
        (UseMethod({"name": "mondrian"}), "with the method mondrian"),
        (SetMethod("metric", "entropy"), "metric entropy"),
    ],
)  # fmt: skip
def test_a_change_says_what_it_does(change: Change, words: str) -> None:
    assert apply_changes(BASIS, [change])[1] == words


def test_words_never_repeat_a_value_of_the_table() -> None:
    plan = {**PLAN, "models": [{"model": "alpha-k-anonymity", "alpha": 0.5, "k": 5,
                                "column": "Condition", "values": ["Cancer"]}]}  # fmt: skip
    changes = [
        SetRule("alpha-k-anonymity", "values", ["Flu"]),
        AddRule({"model": "alpha-k-anonymity", "alpha": 0.5, "k": 5, "values": ["Flu"]}),
        SetRule("alpha-k-anonymity", "column", "Flu"),
    ]
    words = apply_changes(Basis(plan), changes)[1]
    assert "Flu" not in words
    assert "Cancer" not in words


@pytest.mark.parametrize("model", [own for own in MODELS if MODELS[own].look_alikes])
def test_hiding_among_more_raises_the_rule_that_is_there(model: str) -> None:
    """Before, a rule that one list had forgotten got a second rule beside it."""
    name = MODELS[model].look_alikes
    rule = {"model": model, name: 5}
    basis = Basis({**PLAN, "models": [rule]})
    assert basis.look_alikes == 5
    assert _after(HideAmong(10), basis=basis)["models"] == [{**rule, name: 10}]


def test_the_number_of_look_alikes_is_changed_in_whichever_rule_says_it() -> None:
    lkc = {"model": "lkc-privacy", "L": 2, "K": 5, "C": 0.5}
    assert _after(HideAmong(9), basis=Basis({**PLAN, "models": [lkc]}))["models"] == [
        lkc | {"K": 9}
    ]
    nobody = Basis({**PLAN, "models": []})
    assert _after(HideAmong(9), basis=nobody)["models"] == [{"model": "k-anonymity", "k": 9}]


def test_a_chain_keeps_what_stands_around_the_method_that_sees_to_the_rules() -> None:
    chained = Basis({**PLAN, "method": [NOISE, PLAN["method"]]})
    assert _after(UseMethod({"name": "mondrian"}), basis=chained)["method"] == [
        NOISE,
        {"name": "mondrian"},
    ]


def test_changes_are_made_one_after_the_other() -> None:
    after = _after(HideAmong(10), SetLevel("Zip", 2), SetLevel("Age", 1))
    assert after["models"][0]["k"] == 10
    assert after["method"]["levels"] == {"Zip": 2, "Age": 1}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (SetLevel("Zip", 9), "Zip has levels 0 to 4."),
        (SetLevel("Nothing", 1), "The plan has no column Nothing."),
        (SetLevels({"Nothing": 1}), "The plan has no column Nothing."),
        (SetRule("t-closeness", "t", 0.1), "The plan has no rule t-closeness to change."),
        (DropRule("t-closeness"), "The plan has no rule t-closeness to take away."),
        (SetMethod("window", 3), "No method of the plan has a window."),
        (SetRole("Zip", "wizard"), "The change role does not fit this plan."),
    ],
)
def test_what_cannot_be_changed_is_refused(change: Change, sentence: str) -> None:
    with pytest.raises(InvalidPlan, match=sentence):
        apply_changes(BASIS, [change])


def test_a_level_alone_needs_a_run_that_has_levels() -> None:
    with pytest.raises(InvalidPlan, match="after a run that gave every column one level"):
        apply_changes(Basis(PLAN), [SetLevel("Zip", 1)])
    without_limit = Basis({**PLAN, "method": {"name": "mondrian"}})
    with pytest.raises(InvalidPlan, match="leaves out nobody"):
        apply_changes(without_limit, [LeaveOut(0.1)])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no json",
        "[]",
        "7",
        '{"change": "nothing"}',
        '{"change": "hide-among"}',
        '{"change": "hide-among", "to": "many"}',
        '{"change": "hide-among", "to": 5, "more": 1}',
        '{"change": "add-rule", "rule": []}',
        '{"change": "level", "column": 3, "to": 1}',
    ],
)
def test_what_a_form_sends_is_read_with_care(text: str) -> None:
    with pytest.raises(InvalidPlan):
        read_changes(text)


def test_numbers_are_rounded_before_anything_else_and_only_once() -> None:
    fine = {"name": "rounding", "columns": ["Age"], "base": 5}
    ends = {"name": "coding", "columns": ["Age"], "top_share": 0.1, "bottom_share": 0.1}
    assert _after(RoundNumbers("Age", 5))["method"] == [fine, PLAN["method"]]
    both = _after(RoundNumbers("Age", 5), RoundNumbers("Age", 10, 0.1))
    assert both["method"] == [{**fine, "base": 10}, ends, PLAN["method"]]
    words = apply_changes(BASIS, [RoundNumbers("Age", 1000, 0.1)])[1]
    assert words == "Age rounded to 1,000, its ends of 10\u00a0% each as one number"
