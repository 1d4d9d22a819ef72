"""Viewers without row access see only listed entries, no value and no count of few people."""

import json

import numpy as np

from deid_portal.engine import Table
from deid_portal.engine.evidence.kept_people import count_labels, measure_kept
from deid_portal.engine.publication.allow_list import ANY, PUBLISHED, list_reasons
from deid_portal.engine.publication.in_house import IN_HOUSE, IN_HOUSE_OF_NETWORKS
from deid_portal.engine.report import Report
from deid_portal.engine.report.left_out import KeptPeople
from deid_portal.engine.report.table import RowCounts
from deid_portal.engine.report.transformation import LabelCount
from deid_portal.engine.table.table import Column
from deid_portal.reports.visibility import without_values
from tests.engine.publication.test_details import TABLE
from tests.engine.publication.test_publish_report import places_of
from tests.reports.samples import make_report, two_left_out

NOT_LOOKED_AT = ("models", "kept_before")  # as the plan says them; nothing of so few people


def test_labels_of_few_people_are_told_together_and_cannot_be_subtracted() -> None:
    cells = ["flu"] * 9 + ["gout"] * 6 + ["ulcer"] * 2 + [None] * 7
    (told,) = count_labels(Table((Column.from_cells("illness", cells),)), ["illness"])
    # Two people left over would be known by the total, so the smallest label goes with them.
    assert told.labels == (LabelCount("flu", 9), LabelCount(None, 7))
    assert told.others == 8


def test_the_people_of_the_release_are_measured_among_themselves() -> None:
    towns = Table.from_rows(["town"], [["a"], ["a"], ["b"], ["c"]])["town"].codes
    kept = measure_kept(towns, np.array([0, 1, 2], np.int32))
    assert kept == KeptPeople(records=3, average_risk=2 / 3, one_of_a_kind=1 / 3)


def test_every_entry_is_listed_with_its_reason() -> None:
    seen = without_values(two_left_out()).to_document()
    listed = [place.split(".") for place, _ in list_reasons(IN_HOUSE)]
    for place in places_of({key: own for key, own in seen.items() if key not in NOT_LOOKED_AT}):
        steps = [list(zip(own, place, strict=False)) for own in listed if len(own) <= len(place)]
        assert any(all(one in (ANY, other) for one, other in own) for own in steps), place
    reasons = [*list_reasons(IN_HOUSE), *list_reasons(IN_HOUSE_OF_NETWORKS)]
    assert all(reason.words for _, reason in reasons)


def test_what_may_be_published_may_be_shown() -> None:
    assert set(PUBLISHED) - set(IN_HOUSE) == {"plan", "plan_sha256"}


def test_a_new_entry_stays_with_the_stewards_until_it_is_listed() -> None:
    report = json.loads(json.dumps(two_left_out().to_document()))
    report["surprise"] = report["risk"]["after"]["surprise"] = 1
    report["columns"]["sex"]["surprise"] = report["spread"][0]["after"]["surprise"] = 1
    report["kept_before"]["surprise"] = report["released_labels"][0]["surprise"] = 1
    assert "surprise" not in json.dumps(without_values(Report.from_document(report)).to_document())


def test_a_reviewer_reads_no_plan_and_no_group_of_look_alikes() -> None:
    seen = without_values(two_left_out())
    assert not seen.tells("plan")
    assert seen.spread is not None
    assert not seen.spread[0].tells("worst")
    assert "90210" not in json.dumps(seen.to_document())  # one person's


def test_values_named_by_a_rule_stay_with_the_stewards() -> None:
    rule = {"model": "confidence-bounding", "h": 0.95, "column": "condition", "values": ["Cancer"]}
    report = make_report(models=[{"model": "k-anonymity", "k": 2}, rule])
    assert report.models[1].parameters["values"] == ["Cancer"]
    assert "values" not in without_values(report).models[1].parameters


def test_nothing_is_told_of_the_table_as_it_came() -> None:
    """Not even where nobody was left out: beside another run it would tell who was left out there.

    Exact counts of everybody less those of a release are the people whom that release leaves out.
    """
    everybody = make_report(method={"name": "levels", "levels": {"zip": 5, "sex": 1}})
    assert everybody.rows == RowCounts(released=TABLE.rows, suppressed=0)
    for report in (everybody, two_left_out()):
        seen = without_values(report).to_document()
        assert not {"comparison", "distributions", "who_pays", "isolation", "coarser"} & seen.keys()
        assert "distinct_before" not in json.dumps(seen)
        assert set(seen["risk"]) == {"after", "details", "safe_harbor"}
        assert seen["risk"]["after"].keys() == report.risk.after.to_document().keys()


def test_of_the_release_everything_is_told() -> None:
    report = two_left_out()
    seen = without_values(report)
    assert seen.rows == report.rows
    assert seen.classes.count == report.classes.count
    assert [rule.to_document() for rule in seen.models] == [
        {"model": "k-anonymity", "k": 2, "holds": True, "achieved": {"k": 10}}
    ]
    labels = {entry.column: entry.labels for entry in seen.released_labels or ()}
    assert labels["zip"][0] == LabelCount("13053", 10)
