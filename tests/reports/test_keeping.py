"""What was lost altogether is named in the verdict, and the run that keeps it is proposed."""

from dataclasses import replace
from typing import Any

import pytest

from deid_portal.engine.report.table import LostColumns
from deid_portal.reports.keeping import find_keeping_run
from deid_portal.reports.scenarios import Scenario
from deid_portal.reports.verdicts import key_numbers, verdict_of
from tests.engine.tables import FOUR
from tests.reports.samples import make_report
from tests.reports.scenarios import make_scenario

HIDDEN_AGE = {"age": 3, "sex": 0}
LOST = LostColumns(("age",), ())


def hiding(**levels: int) -> str:
    method = {"name": "levels", "levels": levels, "suppression_limit": 0.5}
    return verdict_of(make_report(method=method))


def test_the_verdict_names_the_columns_that_are_gone() -> None:
    assert hiding(sex=1).endswith(": sex is hidden completely.")
    assert hiding(zip=5, sex=1).endswith(": zip and sex are hidden completely.")
    assert ":" not in hiding()


def test_a_column_that_is_nearly_gone_is_named_too() -> None:
    report = make_report()
    zips = report.columns["zip"].with_entries(level=4, loss=0.95, distinct_after=2)
    told = replace(report, columns={**report.columns, "zip": zips})
    assert verdict_of(told).endswith(": nearly nothing is left of zip.")
    left_out_mostly = replace(told.rows, released=1, suppressed=19)
    assert ":" not in verdict_of(replace(told, rows=left_out_mostly))


def test_a_column_without_anything_to_hide_is_not_called_hidden() -> None:
    report = make_report(method={"name": "levels", "levels": {}, "suppression_limit": 0.9})
    assert report.lost_columns == LostColumns((), ())


def test_of_many_lost_columns_they_are_counted() -> None:
    names = [f"column {number}" for number in range(5)]
    report = make_report()
    gone = report.columns["sex"].with_entries(level=1, distinct_after=1)
    lost = dict.fromkeys(names, gone)
    told = replace(report, columns={**report.columns, **lost})
    assert verdict_of(told).endswith(": five of seven columns are hidden completely.")


def without_age(number: int, **changes: Any) -> Scenario:
    """Return a run that shows one label for all ages."""
    found = make_scenario(number, levels=HIDDEN_AGE, **changes)
    columns = dict(found.summary.columns)
    columns["age"] = columns["age"].with_entries(distinct_after=1)
    return replace(found, summary=found.summary.with_entries(columns=columns))


def lost_in(scenario: Scenario) -> LostColumns:
    return LostColumns.of(scenario.summary.columns, scenario.summary.rows)


def test_the_nearest_run_that_keeps_the_column_is_proposed() -> None:
    own = without_age(1, highest=0.1)
    near = make_scenario(2, levels={"age": 1, "sex": 0}, highest=0.2)
    far = make_scenario(3, levels={"age": 1, "sex": 0}, highest=0.5)
    other = without_age(4, highest=0.1)
    assert lost_in(own) == LOST
    found = find_keeping_run(1, LOST, [far, other, near, own])
    assert found is not None
    assert (found.number, found.keeps) == (2, "age")
    assert "left out" in found.words


@pytest.mark.parametrize(
    "other",
    [
        make_scenario(2, levels={"age": 1, "sex": 0}, is_allowed=False),
        make_scenario(2, levels={"age": 1, "sex": 1}),  # loses another column in its place
        without_age(2),
    ],
)
def test_a_run_that_breaks_the_policy_or_loses_another_column_is_not_proposed(
    other: Scenario,
) -> None:
    own = without_age(1)
    assert find_keeping_run(1, LOST, [own, other]) is None


def test_every_sensitive_column_has_its_numbers() -> None:
    columns = {
        "zip": {"role": "quasi-identifier"},
        "age": {"role": "sensitive"},
        "condition": {"role": "sensitive"},
    }
    rules = [
        {"model": "t-closeness", "t": 0.9, "column": "condition"},
    ]
    numbers = {own.label: own for own in key_numbers(make_report(FOUR, columns, models=rules))}
    assert len(numbers) == 10
    assert {"Age per group (l)", "Condition per group (l)"} <= set(numbers)
    assert numbers["Condition, distance to table (t)"].note == "asked 0.9"
    assert numbers["Age, distance to table (t)"].note == "not asked"
