"""What the engine builds is what is read back from its document, entry by entry."""

import json
from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from deid_portal.engine.methods import METHODS
from deid_portal.engine.report import NO_DETAILS, HouseDetails, NotTold, Report
from deid_portal.engine.report.left_out import PayingColumn
from deid_portal.engine.report.table import RowCounts
from deid_portal.engine.report.utility import UtilityMeasures
from tests.engine.networks import test_every_network_method as network_methods
from tests.engine.report import samples
from tests.engine.report.test_reports_of_today import opened


def check_is_read_back(report: Report) -> None:
    document = json.loads(json.dumps(report.to_document(), allow_nan=False))
    assert Report.from_document(document) == report


@pytest.mark.parametrize("name", METHODS)
def test_reports_of_every_method(name: str) -> None:
    example = samples.METHOD_EXAMPLES[name][0]
    for view in samples.made_of_table({"name": name, **example}).values():
        check_is_read_back(view)


@pytest.mark.parametrize("example", network_methods.EXAMPLES, ids=network_methods.NAMES)
def test_reports_of_every_network_method(example: Any) -> None:
    check_is_read_back(network_methods.outcome_of(example).full_report)


def test_reports_of_every_rule_and_of_attacks() -> None:
    check_is_read_back(samples.assess_every_rule())
    check_is_read_back(samples.attack_in_every_way().full_report)


@pytest.mark.parametrize("changes", samples.UNSOLVED.values(), ids=samples.UNSOLVED)
def test_reports_without_a_solution(changes: Any) -> None:
    for view in samples.without_solution(changes).values():
        check_is_read_back(view)


def test_details_of_the_house_are_entries_of_the_report() -> None:
    whole = get_type_hints(Report)
    for name, hint in get_type_hints(HouseDetails).items():
        assert whole[name] == hint, name


def test_details_are_added_and_what_they_do_not_tell_stays() -> None:
    report = opened("table-full-domain")
    assert report.with_details(NO_DETAILS) == report
    told = PayingColumn(column="ward", groups=())
    added = report.with_details(HouseDetails(who_pays=(told,)))
    assert added.who_pays == (told,)
    assert added.spread == report.spread
    assert added.rows is report.rows


def test_a_part_can_tell_some_entries_alone() -> None:
    counts = RowCounts.telling(released=3)
    assert counts.to_document() == {"released": 3}
    with pytest.raises(NotTold):
        counts.suppressed  # noqa: B018
    with pytest.raises(ValueError, match="no such field"):
        RowCounts.telling(relaesed=3)


def test_a_measure_that_was_not_taken_is_absent_and_one_that_has_no_value_is_null() -> None:
    assert UtilityMeasures.telling(loss=0.5).to_document() == {"loss": 0.5}
    written = UtilityMeasures(loss=0.5, kl_divergence=None).to_document()
    assert written == {"loss": 0.5, "kl_divergence": None}
    assert {own.name for own in fields(UtilityMeasures)} >= written.keys()
