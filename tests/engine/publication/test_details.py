"""Internal details of reports (who pays, spread of values, examples), in groups of people."""

import json
from typing import Any

import pytest

from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.publication import publish_report
from deid_portal.engine.report.distributions import ChangedValue
from tests.engine.tables import document

COLUMNS: dict[str, Any] = {
    "name": {"role": "identifier"},
    "zip": {"role": "quasi-identifier", "taxonomy": {"mask": {"from": "right"}}},
    "sex": {"role": "quasi-identifier"},
    "condition": {"role": "sensitive"},
    "ward": {"role": "insensitive"},
}
# Two towns of ten, and two people who stand alone in theirs.
ROWS = (
    [[f"p{n}", "13053", "f", "Flu" if n < 8 else "Cancer", "A"] for n in range(10)]
    + [[f"q{n}", "14850", "m", "Flu" if n < 3 else "Asthma", "B"] for n in range(10)]
    + [["r", "90210", "f", "Cancer", "B"], ["s", "90211", "m", "Asthma", "B"]]
)
TABLE = Table.from_rows(list(COLUMNS), ROWS)


def run(**changes: Any) -> Outcome:
    changes = {"method": {"name": "levels", "levels": {}, "suppression_limit": 0.5}} | changes
    outcome = protect(TABLE, Plan.from_document(document(COLUMNS, **changes)))
    assert outcome.solution
    return outcome


def test_left_out_and_lost_add_up_over_the_groups_of_every_column() -> None:
    outcome = run(method={"name": "levels", "levels": {"zip": 2}, "suppression_limit": 0.5})
    rows = outcome.report.rows
    told = {entry.column: entry.groups for entry in outcome.details.who_pays}
    assert set(told) == {"zip", "sex", "condition", "ward"}
    for groups in told.values():
        assert sum(group.records for group in groups) == 22
        assert sum(group.suppressed for group in groups) == rows.suppressed == 2
        lost = sum(group.records * group.loss for group in groups) / 22
        assert lost == pytest.approx(outcome.report.utility.loss)


def test_groups_of_fewer_than_five_are_told_together() -> None:
    zips = next(entry for entry in run().details.who_pays if entry.column == "zip")
    assert [group.value for group in zips.groups] == ["13053", "smaller groups"]
    assert zips.groups[1].suppressed == 2
    assert zips.merged == 3


def test_a_sample_does_not_pay_for_who_was_not_drawn() -> None:
    outcome = run(models=[], method={"name": "sampling", "share": 0.5})
    for entry in outcome.details.who_pays:
        assert sum(group.records for group in entry.groups) == 11
        assert not any(group.suppressed for group in entry.groups)


def test_sensitive_values_are_measured_though_no_rule_asks() -> None:
    told = run().details.spread[0]
    assert (told.column, told.distance) == ("condition", "equal")
    assert told.before.l == 1  # the two who stand alone
    assert told.after.l == 2
    # 8 flu and 2 cancer of 10, beside 11 and 3 of 22.
    assert told.worst[0].t == pytest.approx(8 / 10 - 11 / 22 + 2 / 10 - 3 / 22)
    assert told.worst[0].labels == {"zip": "13053", "sex": "f"}
    assert told.worst[0].size == 10
    assert told.after.confidence == 0.8
    assert sum(entry.records for entry in told.after.people_by_l) == 20
    assert sum(told.after.people_by_t) == 20
    assert sum(told.before.people_by_t) == 22


def test_l_and_t_are_those_of_the_rules_where_rules_ask() -> None:
    rules = [
        {"model": "l-diversity", "l": 2, "column": "condition"},
        {"model": "t-closeness", "t": 0.5, "column": "condition", "distance": "ordered"},
    ]
    outcome = run(models=rules)
    told = outcome.details.spread[0]
    diversity, closeness = outcome.report.models
    assert told.after.l == diversity.achieved["l"]
    assert told.before.l == diversity.achieved_before["l"]
    assert told.distance == "ordered"
    assert told.after.t == pytest.approx(closeness.achieved["t"])
    assert told.before.t == pytest.approx(closeness.achieved_before["t"])


def test_groups_of_a_bucketized_release_are_its_buckets() -> None:
    outcome = run(models=[], method={"name": "bucketization", "l": 2, "column": "condition"})
    told = outcome.details.spread[0]
    assert told.after.l == 2
    assert told.worst[0].labels is None


def test_distributions_are_counted_as_a_recipient_would() -> None:
    outcome = run(method={"name": "levels", "levels": {"sex": 1, "zip": 5}})
    told = {entry.column: entry for entry in outcome.details.distributions.columns}
    assert told["sex"].before == told["sex"].after == (11, 11)
    # A hidden zip may be any of the four, three of which are too rare to be told alone.
    assert told["zip"].values == ("13053", "smaller groups")
    assert told["zip"].after == (5.5, 16.5)
    assert told["condition"].after == told["condition"].before


def test_two_way_counts_have_the_one_way_counts_as_margins() -> None:
    told = run().details.distributions
    names = [entry.column for entry in told.crossed]
    for pair in told.pairs:
        first = next(e for e in told.columns if e.column == names[pair.columns[0]])
        assert tuple(sum(row) for row in pair.before) == first.before
        assert tuple(round(sum(row), 1) for row in pair.after) == first.after


def test_examples_show_the_most_frequent_value_and_what_became_of_it() -> None:
    outcome = run(method={"name": "levels", "levels": {"zip": 2}})
    examples = outcome.details.examples
    assert examples["zip"] == ChangedValue("13053", "130**", people=10)
    assert "name" not in examples


def test_nothing_is_told_about_people_a_method_made_up() -> None:
    values = {name: list(TABLE[name].values) for name in ("zip", "sex", "condition", "ward")}
    method = {"name": "synthetic", "epsilon": 5, "values": values}
    details = run(models=[], method=method).details
    assert details.who_pays is None
    assert details.examples is None


def test_neither_the_report_nor_what_is_published_names_a_value() -> None:
    method = {"name": "levels", "levels": {"zip": 5, "sex": 1}}
    outcome = run(method=method)
    whole = outcome.full_report
    for told in (outcome.report, publish_report(whole, outcome.report.plan)):
        text = json.dumps(told.to_document())
        assert not [cell for cell in ("13053", "Flu", "Cancer", "14850") if f'"{cell}"' in text]


def test_a_report_of_many_columns_stays_small() -> None:
    names = [f"c{number}" for number in range(120)]
    rows = [[f"v{(row * 7 + column) % 25}" for column in range(120)] for row in range(500)]
    columns = {
        name: {"role": "quasi-identifier" if name < "c13" else "insensitive"} for name in names
    }
    plan = Plan.from_document(document(columns, models=[], method={"name": "none"}))
    details = protect(Table.from_rows(names, rows), plan).details
    assert len(json.dumps(details.to_document())) < 250_000
