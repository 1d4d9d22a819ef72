"""What a report says about risk, attacks and usefulness when a plan asks for it."""

from math import log2
from typing import Any

import pytest

from deid_portal.engine import InvalidPlan, InvalidTable, Plan, Table, assess, protect
from deid_portal.engine.report.attacks import AttackProblem
from deid_portal.engine.report.left_out import PayingGroup
from tests.engine.tables import document

PATIENTS = Table.from_rows(
    ["name", "zip", "age", "condition"],
    [
        ["Ann", "13053", "28", "Flu"],
        ["Bob", "13053", "28", "Flu"],
        ["Cy", "13068", "35", "Cancer"],
        ["Di", "13068", "35", "Flu"],
        ["Ed", "14850", "61", "Cancer"],
        ["Flo", "14850", "64", "Asthma"],
    ],
)
COLUMNS: dict[str, Any] = {
    "name": {"role": "identifier"},
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "age": {"role": "quasi-identifier", "taxonomy": {"intervals": {"width": 10, "widen": [10]}}},
    "condition": {"role": "sensitive"},
}
FILES = {
    "voters.csv": b"name,zip,age\nAnn,13053,28\nEd,14850,61\nZoe,13068,35\n",
    "register.csv": b"zip,age\n" + b"13053,28\n" * 4 + b"13068,35\n" * 8 + b"14850,61\n14850,64\n",
    "control.csv": b"zip,age,condition\n13053,28,Flu\n13068,35,Flu\n14850,60,Asthma\n",
}


def plan_with(measures: dict[str, Any], **changes: Any) -> Plan:
    return Plan.from_document(
        document(COLUMNS, measures=measures, seed=1, **changes),
        read_file=lambda name: FILES[name],
    ).without_undoing_seed()


def attack(entry: dict[str, Any], **changes: Any) -> Any:
    """Return what the report of a protected table says about one attack."""
    outcome = protect(PATIENTS, plan_with({"attacks": [entry]}, **changes))
    assert outcome.solution
    return outcome.report.attacks[0]


def test_homogeneity_counts_the_class_with_one_condition() -> None:
    found = attack({"attack": "homogeneity"})
    assert found.records == 2  # Ann and Bob share a class and both have the flu
    assert found.value == pytest.approx(2 / 6)
    assert found.column == "condition"
    assert found.sentence.endswith(".")


def test_linkage_with_an_outside_table_tells_right_links_from_others() -> None:
    entry = {"attack": "record-linkage", "outside": "voters.csv", "person": "name"}
    protected = attack(entry)
    assert protected.figures == {"people": 3, "links": 0, "correct_links": 0}
    raw = attack(entry, models=[], method={"name": "none"})
    assert raw.figures == {"people": 3, "links": 1, "correct_links": 1}  # Ed is alone


def test_attack_that_does_not_fit_says_so_and_fails_alone() -> None:
    entries = [
        {"attack": "membership-inference", "control": "control.csv"},
        {"attack": "homogeneity"},
    ]
    outcome = protect(PATIENTS, plan_with({"attacks": entries}))
    failed, worked = outcome.report.attacks
    assert "needs at least" in failed.problem
    assert worked.records == 2


def test_attacks_on_a_released_file_are_judged_by_matching_its_rows() -> None:
    plan = plan_with({"attacks": [{"attack": "homogeneity"}, {"attack": "record-linkage"}]})
    outcome = protect(PATIENTS, plan)
    again = assess(PATIENTS, plan, outcome.released)
    for one, other in zip(outcome.report.attacks, again.attacks, strict=True):
        assert one.value == pytest.approx(other.value)
        assert one.records == other.records


def test_attacks_on_mixed_levels_need_to_know_who_is_who() -> None:
    plan = plan_with({"attacks": [{"attack": "homogeneity"}]})
    rows = [["13053", "28", "Flu"], ["13053", "20-29", "Flu"]]
    released = Table.from_rows(["zip", "age", "condition"], rows)
    with pytest.raises(InvalidTable, match="whose"):
        assess(PATIENTS, plan, released)


def test_risk_names_the_worst_column_and_the_uniques() -> None:
    report = assess(PATIENTS, plan_with({"risk": {"threshold": 0.4, "population_size": 1000}}))
    before = report.risk.details.before
    assert before.sample_uniques.records == 2
    assert before.prosecutor.records_above == 6
    assert before.columns[0].column == "age"
    assert before.population_uniques is not None
    assert {finding.column for finding in report.risk.safe_harbor} >= {"zip"}


def test_journalist_counts_among_the_population() -> None:
    plan = plan_with({"risk": {"population": "register.csv"}})
    risk = protect(PATIENTS, plan).report.risk
    details = risk.details
    assert details.before.journalist.highest == 1  # Ed and Flo are alone in it too
    assert not details.before.journalist.is_bound
    # The classes of the release: two of 4 and 8 people there, and both aged 60-69.
    assert details.after.journalist.highest == 1 / 2
    assert details.after.journalist.lowest == 1 / 8
    assert details.after.marketer.average == pytest.approx((2 / 4 + 2 / 8 + 2 / 2) / 6)
    assert risk.after.journalist == 1 / 2
    assert risk.after.marketer == details.after.marketer.average


def test_usefulness_before_and_after() -> None:
    measures = {"utility": {"queries": 20, "groups": ["condition"]}}
    report = protect(PATIENTS, plan_with(measures)).report
    columns = {entry.column: entry for entry in report.comparison.columns}
    # Decades are enough: 61 and 64 become 60-69, spread evenly over both again.
    assert columns["zip"].total_variation == columns["age"].total_variation == 0
    assert report.comparison.queries.queries == 20
    assert report.utility.ambiguity == pytest.approx(2 / 6 / log2(4 * 3))
    assert report.utility.kl_divergence == pytest.approx(0)
    paid = report.who_pays[0]
    assert paid.groups == (PayingGroup("smaller groups", 6, 0, pytest.approx(1 / 18)),)


def test_plan_keeps_what_was_asked() -> None:
    asked = {
        "risk": {"threshold": 0.1},
        "attacks": [{"attack": "skewness", "threshold": 0.3, "column": "condition"}],
        "utility": {"queries": 5, "groups": ["zip"]},
    }
    assert plan_with(asked).to_document()["measures"] == asked


def test_made_up_records_are_not_taken_for_anybody() -> None:
    values = {"zip": ["13053", "13068", "14850"], "condition": ["Flu", "Cancer", "Asthma"]}
    method = {"name": "synthetic", "epsilon": 5, "values": values, "ranges": {"age": [0, 99, 10]}}
    for name in ("homogeneity", "record-linkage", "distance-linkage"):
        found = attack({"attack": name}, models=[], method=method)
        assert found.problem.startswith("Made-up records are nobody's")
        assert isinstance(found, AttackProblem)


def test_nothing_is_learned_from_the_class_column_alone() -> None:
    columns = {"zip": {"role": "quasi-identifier"}}
    table = Table.from_rows(["zip"], [["13053"]] * 10 + [["13068"]] * 10)
    plan = document(columns, measures={"utility": {"class_column": "zip"}})
    assert protect(table, Plan.from_document(plan)).report.comparison.classifiers == ()


@pytest.mark.parametrize(
    ("measures", "sentence"),
    [
        ({"attacks": [{"attack": "magic"}]}, "measures.attacks[0].attack: accepted are"),
        ({"attacks": [{"attack": "singling-out"}]}, '"control" is missing'),
        (
            {"attacks": [{"attack": "record-linkage", "outside": "none.csv"}]},
            "measures.attacks[0].outside: there is no readable file",
        ),
        ({"attacks": [{"attack": "intersection"}]}, "compares several releases"),
        ({"utility": {"groups": ["height"]}}, "measures.utility: columns of the plan"),
        ({"utility": {"groups": ["name"]}}, "utility.groups: columns that are no identifiers"),
        ({"risk": {"threshold": 2}}, "measures.risk.threshold: a number from 0 to 1"),
        ({"luck": {}}, '"luck" is not known here'),
    ],
)
def test_meaningless_measures_are_refused(measures: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidPlan) as refusal:
        plan_with(measures)
    assert sentence in str(refusal.value)


def test_class_column_of_too_few_records_says_so_and_the_report_stands() -> None:
    report = protect(PATIENTS, plan_with({"utility": {"class_column": "condition"}})).report
    assert "at least 5 records" in report.comparison.classifiers[0].problem
