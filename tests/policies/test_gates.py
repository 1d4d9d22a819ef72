"""Every gate on both sides of its limit, on reports small enough to check by eye."""

from io import BytesIO
from typing import Any

import pytest

from deid_portal.engine import Plan, protect
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.csv.reader import read_csv
from deid_portal.engine.report import Report
from deid_portal.policies.gates import (
    AttackStanding,
    CrossingResult,
    Gate,
    GateResult,
    check_gates,
    failing,
    is_allowed,
)
from deid_portal.policies.rules import Rules

LENIENT = Rules(
    least_k=1,
    highest_risk=1,
    most_left_out=1,
    most_left_out_of_group=1,
    smallest_group_judged=2,
    protect_sensitive=False,
    surest_guess=1,
    attacks={},
)


def make_report(**changes: Any) -> Report:
    """Ten people in two groups of five; one more was left out."""
    return Report.from_document(make_document() | changes)


def make_document() -> dict[str, Any]:
    return {
        "solution": True,
        "input": {"rows": 11},
        "rows": {"released": 10, "suppressed": 1},
        "classes": {"count": 2},
        "risk": {"after": {"prosecutor": {"highest": 0.2, "average": 0.2}}, "safe_harbor": []},
        "models": [{"model": "l-diversity", "column": "illness", "holds": True}],
        "columns": {
            "name": {"role": "identifier", "released": False},
            "age": {"role": "quasi-identifier", "released": True},
            "illness": {"role": "sensitive", "released": True},
        },
        "plan": {"columns": {"name": {"treatment": "remove"}}},
        "sensitive": {"illness": {"surest_guess": 0.6}},
        "who_pays": [
            {"column": "age", "groups": [{"value": "old", "records": 2, "suppressed": 1}]}
        ],
    }


def gate_of(name: str, gates: list[Gate]) -> Gate:
    return next(gate for gate in gates if gate.name == name)


@pytest.mark.parametrize(
    ("name", "enough", "too_much"),
    [
        ("least_k", {"least_k": 5}, {"least_k": 6}),
        ("highest_risk", {"highest_risk": 0.2}, {"highest_risk": 0.19}),
        ("most_left_out", {"most_left_out": 1 / 11}, {"most_left_out": 0.09}),
        (
            "most_left_out_of_group",
            {"most_left_out_of_group": 0.5},
            {"most_left_out_of_group": 0.4},
        ),
        ("surest_guess", {"surest_guess": 0.6}, {"surest_guess": 0.59}),
        (
            "protect_sensitive",
            {"protect_sensitive": True, "sensitive_models": ("l-diversity",)},
            {"protect_sensitive": True, "sensitive_models": ("t-closeness",)},
        ),
    ],
)
def test_a_gate_closes_just_beyond_its_limit(
    name: str, enough: dict[str, Any], too_much: dict[str, Any]
) -> None:
    base = LENIENT.to_document()
    passing = check_gates(Rules.from_document(base | enough), make_report())
    closed = check_gates(Rules.from_document(base | too_much), make_report())
    assert gate_of(name, passing).result is GateResult.PASS
    assert [gate.name for gate in failing(closed)] == [name]


def test_groups_too_small_to_hide_are_not_judged() -> None:
    rules = Rules(most_left_out_of_group=0.4, smallest_group_judged=3, attacks={})
    gate = gate_of("most_left_out_of_group", check_gates(rules, make_report()))
    assert not gate.fails
    assert gate.asks == "No group of 3 or more loses more than 40\u00a0% of its people"


def test_outside_the_house_no_group_is_named() -> None:
    rules = Rules(most_left_out_of_group=0.1, smallest_group_judged=1)
    paid = [{"value": "old", "records": 50, "suppressed": 9}]
    report = make_report(who_pays=[{"column": "age", "groups": paid}])
    gate = gate_of("most_left_out_of_group", check_gates(rules, report))
    assert "“old”: 9 of 50 left out" in gate.has
    assert gate.has_outside == "over the limit", "how many of it were left out is nobody's business"


def test_a_group_of_which_few_were_left_out_is_not_named_to_anybody() -> None:
    rules = Rules(most_left_out_of_group=0.4, smallest_group_judged=1)
    gate = gate_of("most_left_out_of_group", check_gates(rules, make_report()))
    assert gate.has == "age, in one of its groups: 50\u00a0% left out"


def test_failures_stand_first() -> None:
    gates = check_gates(Rules(least_k=2, most_left_out=0.01), make_report())
    assert [gate.fails for gate in gates] == sorted((gate.fails for gate in gates), reverse=True)


def test_a_broken_rule_protects_no_sensitive_column() -> None:
    rules = Rules()
    broken = make_report(models=[{"model": "l-diversity", "column": "illness", "holds": False}])
    assert gate_of("protect_sensitive", check_gates(rules, broken)).fails


@pytest.mark.parametrize(
    "rule",
    [
        {"model": "lkc-privacy", "values": {"illness": None}},
        {"model": "p-sensitive-k-anonymity", "columns": ["illness"]},
        {"model": "confidence-bounding", "column": "illness"},
    ],
)
def test_rules_name_their_columns_in_three_ways(rule: dict[str, Any]) -> None:
    report = make_report(models=[rule | {"holds": True}])
    assert not gate_of("protect_sensitive", check_gates(Rules(), report)).fails


def test_an_old_report_without_the_guess_makes_no_promise() -> None:
    document = make_document()
    del document["sensitive"]
    report = Report.from_document(document)
    assert gate_of("surest_guess", check_gates(Rules(surest_guess=0.9), report)).fails


def test_an_identifier_in_the_release_fails() -> None:
    document = make_document()
    document["columns"]["name"]["released"] = True
    report = Report.from_document(document)
    assert gate_of("no_identifier_left", check_gates(Rules(), report)).fails
    document["plan"]["columns"]["name"]["treatment"] = "pseudonym"
    report = Report.from_document(document)
    assert not gate_of("no_identifier_left", check_gates(Rules(), report)).fails


def test_a_column_that_looks_like_an_identifier_fails() -> None:
    risk = make_document()["risk"]
    found = [{"column": "age", "identifier": "e-mail addresses"}]
    report = make_report(risk={**risk, "safe_harbor": found})
    assert gate_of("no_identifier_left", check_gates(Rules(), report)).fails
    report = make_report(risk={**risk, "safe_harbor": [{"column": "age", "identifier": "dates"}]})
    assert not gate_of("no_identifier_left", check_gates(Rules(), report)).fails


@pytest.mark.parametrize(
    ("standing", "fails"),
    [
        (AttackStanding(0.05), False),
        (AttackStanding(0.051), True),
        (AttackStanding(None), True),
        (AttackStanding(None, "made-up records", is_possible=False), False),
    ],
)
def test_an_attack_must_have_been_made_and_stay_within_its_limit(
    standing: AttackStanding, fails: bool
) -> None:
    rules = Rules(attacks={"homogeneity": 0.05})
    gates = check_gates(rules, make_report(), attacks={"homogeneity": standing})
    assert gate_of("attacks.homogeneity", gates).fails is fails


def test_attacks_and_crossing_are_judged_only_when_known() -> None:
    names = {gate.name for gate in check_gates(Rules(), make_report())}
    assert not {"attacks.homogeneity", "cross_releases"} & names


@pytest.mark.parametrize(
    ("crossing", "fails"),
    [
        (CrossingResult(0, None), False),
        (CrossingResult(1, 5), False),
        (CrossingResult(2, 3, people=37), True),
    ],
)
def test_earlier_releases_count(crossing: CrossingResult, fails: bool) -> None:
    gates = check_gates(Rules(), make_report(), crossing=crossing)
    assert gate_of("cross_releases", gates).fails is fails


def test_a_run_without_a_solution_is_never_allowed() -> None:
    assert is_allowed(LENIENT, make_report())
    assert not is_allowed(LENIENT, make_report(solution=False))


def test_what_the_engine_reports_is_what_the_gates_read() -> None:
    """The keys of a real report, so that a renamed one cannot go unnoticed."""
    text = "age;illness\n" + "30;flu\n" * 3 + "30;cold\n" * 2 + "40;flu\n"
    table = read_csv(BytesIO(text.encode()), CsvFormat(delimiter=";"))
    plan = Plan.from_document(
        {
            "plan": 1,
            "columns": {
                "age": {"role": "quasi-identifier", "taxonomy": {"tree": {"ANY": ["30", "40"]}}},
                "illness": {"role": "sensitive"},
            },
            "models": [{"model": "k-anonymity", "k": 5}],
            "method": {"name": "levels", "levels": {"age": 0}, "suppression_limit": 1},
        }
    )
    report = protect(table, plan).report
    gates = check_gates(Rules(most_left_out=0.2), report)
    assert report.sensitive["illness"].surest_guess == pytest.approx(0.6)
    assert gate_of("least_k", gates).result is GateResult.PASS
    assert gate_of("most_left_out", gates).has == "16.7\N{NO-BREAK SPACE}%, 1 of 6"
    assert gate_of("protect_sensitive", gates).fails
