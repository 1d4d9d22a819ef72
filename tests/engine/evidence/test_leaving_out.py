"""Why records are left out: one step coarser is exactly what the method `levels` releases."""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.evidence.suppression_causes import describe_coarser, describe_groups_apart
from deid_portal.engine.privacy import KAnonymity
from deid_portal.engine.report import Report
from deid_portal.engine.utility import Loss
from tests.engine.tables import adult_columns, adult_table, document, random_problem, read_adult

ADULT_COLUMNS = ["age", "sex", "race", "education"]

# Eight people: six alike, one with another zip, one with another age and sex.
EIGHT = Table.from_rows(
    ["zip", "age", "sex"],
    [["13053", "20", "f"]] * 6 + [["14850", "20", "f"], ["13053", "60", "m"]],
)
EIGHT_COLUMNS = {name: {"role": "quasi-identifier"} for name in ("zip", "age", "sex")}


def leave_out_two(**changes: Any) -> Outcome:
    exact = {"name": "levels", "levels": {}, "suppression_limit": 0.5}
    plan = Plan.from_document(document(EIGHT_COLUMNS, method=exact, **changes))
    return protect(EIGHT, plan)


def test_the_column_that_isolates_is_the_one_that_frees() -> None:
    report = leave_out_two().report
    alone = report.isolation[0]
    assert (alone.from_, alone.records, alone.left_out) == (1, 2, 2)
    frees = {entry.column: entry.frees_hidden for entry in alone.columns}
    assert frees == {"zip": 1, "age": 0, "sex": 0}  # the man of 60 differs in two columns
    assert report.isolation[1].left_out == 0


def test_people_left_out_add_up() -> None:
    report = leave_out_two().report
    assert sum(entry.left_out for entry in report.isolation) == report.rows.suppressed
    assert sum(entry.records for entry in report.isolation) == report.input.rows


def test_one_step_coarser_is_what_the_method_levels_releases() -> None:
    table = adult_table()
    columns = adult_columns(ADULT_COLUMNS)
    method = {"name": "full-domain", "suppression_limit": 0.02}
    rules = [{"model": "k-anonymity", "k": 20}]

    def run(method: dict[str, Any]) -> Report:
        plan = document(columns, models=rules, method=method, other_columns="remove")
        return protect(table, Plan.from_document(plan, read_file=read_adult)).report

    report = run(method)
    assert report.rows.suppressed > 0
    levels = report.transformation.levels
    for step in report.coarser:
        again = run({"name": "levels", "levels": {**levels, step.column: step.level}})
        assert step.suppressed == again.rows.suppressed
        assert step.loss == pytest.approx(again.utility.loss)
        freed = report.rows.suppressed - again.rows.suppressed
        assert step.freed == freed
        # What a step frees, group by group, is at least what it frees on the whole.
        per_size = [
            entry.frees
            for told in report.isolation
            for entry in told.columns
            if entry.column == step.column
        ]
        assert sum(per_size) >= freed


@pytest.mark.parametrize("seed", range(10))
def test_under_a_monotone_rule_steps_free_exactly_whom_they_bring_back(seed: int) -> None:
    problem = random_problem(np.random.default_rng(seed), [KAnonymity(3)])
    check = problem.checker(Loss()).check((0,) * len(problem.names))
    isolation = describe_groups_apart(check)
    for step in describe_coarser(problem, check):
        freed = sum(
            entry.frees
            for told in isolation
            for entry in told.columns
            if entry.column == step.column
        )
        assert freed == step.freed


def test_a_release_without_levels_tells_what_hiding_a_column_would_join() -> None:
    method = {"name": "coding", "columns": ["age"], "top": 90}
    plan = document(EIGHT_COLUMNS, models=[], method=method)
    report = protect(EIGHT, Plan.from_document(plan)).report
    alone = report.isolation[0]
    assert {entry.column: entry.grows_hidden for entry in alone.columns} == {
        "zip": 1,
        "age": 0,
        "sex": 0,
    }
    assert report.coarser is None


def test_mixed_levels_promise_nothing_about_single_steps() -> None:
    method = {"name": "local-recoding", "suppression_limit": 0.5}
    plan = document(EIGHT_COLUMNS, method=method)
    assert protect(EIGHT, Plan.from_document(plan)).report.coarser is None


def test_a_method_after_the_levels_does_not_hide_why_people_were_left_out() -> None:
    columns: dict[str, Any] = {**EIGHT_COLUMNS, "note": {"role": "insensitive"}}
    notes = ["x", "x", "x", "x", "y", "y", "y", "z"]
    rows = [[*row, note] for row, note in zip(EIGHT.head(8), notes, strict=True)]
    table = Table.from_rows([*EIGHT.names, "note"], rows)
    chain = [
        {"name": "levels", "levels": {}, "suppression_limit": 0.5},
        {"name": "pram", "columns": ["note"], "epsilon": 1.0},
    ]
    plan = Plan.from_document(document(columns, method=chain))
    report = protect(table, plan).report
    assert report.isolation[0].left_out == 2
    assert {step.column for step in report.coarser} == {"zip", "age", "sex"}
