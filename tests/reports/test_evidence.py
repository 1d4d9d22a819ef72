"""What the report page says about attacks, methods, cuts and usefulness."""

import pytest

from deid_portal.engine import Plan, Table, protect
from deid_portal.engine.charts.detail import change_chart, classifier_chart
from deid_portal.engine.charts.risk import influence_chart
from deid_portal.engine.report import Report
from deid_portal.reports.evidence import (
    describe_attacks,
    describe_cuts,
    describe_randomized,
    describe_steps,
    safe_harbor_findings,
)
from tests.chance import known_secret
from tests.engine.methods.test_every_method import COLUMNS, people

MEASURES = {
    "attacks": [{"attack": "homogeneity"}, {"attack": "similarity", "column": "condition"}],
    "utility": {"class_column": "condition", "groups": ["sex"]},
}


@pytest.fixture(scope="module")
def report() -> Report:
    document = {
        "plan": 1,
        "columns": COLUMNS,
        "models": [{"model": "k-anonymity", "k": 3}],
        "method": [
            {"name": "mondrian"},
            {"name": "rank-swapping", "columns": ["pay"], "window": 10},
        ],
        "measures": MEASURES,
    }
    return protect(people(200), Plan.from_document(document), secret=known_secret()).report


def test_every_chart_draws_the_numbers_of_its_table(report: Report) -> None:
    for chart in (influence_chart(report), change_chart(report), classifier_chart(report)):
        assert chart is not None
        assert chart.title
        assert chart.figure["data"]
        assert {len(row) for row in chart.table.rows} == {len(chart.table.columns)}


def test_attacks_say_what_they_got_or_why_not(report: Report) -> None:
    homogeneity, similarity = describe_attacks(report)
    assert homogeneity.name == "Homogeneity"
    assert homogeneity.sentence.endswith(".")
    assert homogeneity.value.endswith("%")
    assert similarity.problem or similarity.sentence


def test_each_method_tells_what_it_did(report: Report) -> None:
    first, second = describe_steps(report)
    assert first.title == "Mondrian"
    assert second.slug == "method-rank-swapping"


def test_a_report_without_evidence_still_opens() -> None:
    bare = Report.from_document({"risk": {}, "transformation": {"cuts": {}, "levels": {}}})
    assert influence_chart(bare) is None
    assert change_chart(bare) is None
    assert classifier_chart(bare) is None
    for nothing in (describe_attacks, describe_steps, describe_cuts):
        assert nothing(bare) == []
    assert safe_harbor_findings(bare) == ()


def test_randomized_columns_tell_level_chances_and_true_shares() -> None:
    document = {
        "plan": 1,
        "columns": {"answer": {"role": "insensitive"}},
        "models": [],
        "method": {"name": "pram", "columns": ["answer"], "epsilon": 1.0},
    }
    table = Table.from_rows(["answer"], [["yes"]] * 300 + [["no"]] * 700)
    column = describe_randomized(protect(table, Plan.from_document(document)).report)[0]
    assert column.level == "ε = 1"
    assert column.matrix is not None
    assert column.matrix.rows == [["no", "0.731", "0.269"], ["yes", "0.269", "0.731"]]
    assert [row[0] for row in column.shares.rows] == ["no", "yes"]


def test_cuts_list_the_labels_with_most_people_first() -> None:
    labels = [{"label": "20-29", "records": 3}, {"label": None, "records": 9}]
    report = Report.from_document({"transformation": {"cuts": {"age": labels}}})
    cut = describe_cuts(report)[0]
    assert [entry.label for entry in cut.labels] == ["(missing)", "20-29"]
    assert cut.most == 9
