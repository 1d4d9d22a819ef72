"""What boards need of a run is kept apart from its report, for old runs too."""

from dataclasses import replace

import pytest

from deid_portal.engine.report import NotTold, Report
from deid_portal.engine.report.left_out import PayingColumn, PayingGroup
from deid_portal.engine.report.table import RowCounts
from deid_portal.policies.gates import check_gates
from deid_portal.policies.rules import Rules
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.runs.summaries import summarize_run
from tests import factories
from tests.conftest import Cast


def test_a_waiting_run_says_what_was_asked_and_a_finished_one_what_came_of_it(cast: Cast) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    run = start_run(dataset=dataset, started_by=cast.steward)
    assert run.summary.asked.k == 4
    run = factories.finish_run(run)
    assert run.summary.asked.k == 4
    assert run.summary.rows == RowCounts(released=12, suppressed=0)
    assert run.summary.columns["Zip"].level == run.report.columns["Zip"].level


def test_a_policy_judges_a_summary_as_it_judges_the_report(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    for rules in (Rules(), Rules(least_k=2, highest_risk=0.5, surest_guess=1)):
        assert check_gates(rules, run.summary) == check_gates(rules, run.report)


def test_a_summary_opens_as_it_was_kept(cast: Cast) -> None:
    """Also one of before, which does not say what was asked for."""
    run = factories.make_finished_run(cast.steward, cast.team)
    kept = run.summary.to_document()
    assert list(kept["classes"]) == ["count", "smallest", "largest", "mean"]
    assert Run.objects.get(id=run.id).summary.to_document() == kept
    del kept["asked"], kept["levels"], kept["detail"]
    run.summary = kept
    run.save(update_fields=["summary"])
    before = Run.objects.get(id=run.id).summary
    assert (before.asked.k, before.asked.methods, before.levels, before.detail) == (
        None, (), None, None
    )  # fmt: skip
    assert before.to_document() == kept
    assert check_gates(Rules(), before) == check_gates(Rules(), run.report)


def test_a_run_that_waits_tells_nothing_but_what_was_asked(cast: Cast) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    run = start_run(dataset=dataset, started_by=cast.steward)
    assert list(run.summary.to_document()) == ["asked"]
    assert run.summary.solution is None
    with pytest.raises(NotTold):
        run.summary.rows  # noqa: B018
    with pytest.raises(ValueError, match="has no report"):
        run.finished_report  # noqa: B018


def test_values_that_rules_name_stay_in_the_plan() -> None:
    rule = {"model": "lkc-privacy", "K": 2, "values": {"Condition": ["Cancer"]}, "holds": True}
    plan = {"columns": {}, "models": [rule], "method": {"name": "none"}}
    report = {"solution": False, "plan": plan, "input": {"rows": 3}}
    summary = summarize_run(Report.from_document(report))
    assert summary.asked.rules[0]["values"] == {"Condition": None}
    assert "Cancer" not in str(summary.to_document())


def test_the_smallest_group_and_those_that_pay_more_than_larger_ones_are_kept(cast: Cast) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    groups = tuple(
        PayingGroup(value=name, records=records, suppressed=left_out, loss=0)
        for name, records, left_out in (("a", 100, 1), ("b", 50, 25), ("c", 40, 4), ("d", 10, 2))
    )
    paying = PayingColumn(column="Zip", gap=0.49, groups=groups)
    kept = summarize_run(replace(run.report, who_pays=(paying,))).who_pays[0].groups
    assert [group.value for group in kept] == ["a", "b", "d"]
