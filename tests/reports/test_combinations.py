"""The combinations a search checked: shown as they were found, and another one can be run."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.engine import Outcome, Plan, Table, protect
from deid_portal.engine.methods.full_domain import FullDomain
from deid_portal.engine.publication import show_in_house
from deid_portal.engine.report import Report
from deid_portal.plans.changes import SetLevels, read_changes
from deid_portal.reports.combinations import view_combinations, write_pick
from deid_portal.reports.keeping import find_keeping_combination
from deid_portal.runs.models import Run
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast
from tests.engine.tables import document

SignIn = Callable[[User], Client]
MASK = {"mask": {"from": "right"}}
COLUMNS = {
    "zip": {"role": "quasi-identifier", "taxonomy": MASK},
    "sex": {"role": "quasi-identifier"},
    "age": {"role": "quasi-identifier", "taxonomy": MASK},
}
ROWS = [[f"130{n % 7}{n % 3}", "f" if n % 2 else "m", str(20 + n % 30)] for n in range(60)]


def searched(**changes: object) -> Outcome:
    method = {"name": "full-domain", "suppression_limit": 0.1}
    plan = document(COLUMNS, models=[{"model": "k-anonymity", "k": 3}], method=method, **changes)
    return protect(Table.from_rows(list(COLUMNS), ROWS), Plan.from_document(plan))


@pytest.fixture(scope="module")
def report() -> Report:
    return searched().full_report


def test_the_report_keeps_what_the_search_checked(report: Report) -> None:
    found = report.exploration
    assert found is not None
    assert report.search is not None
    assert len(found.combinations) == report.search.checked
    assert found.names == list(COLUMNS)
    best = found.combinations[0]
    assert found.by_column(best.levels) == report.transformation.levels
    assert best.value == pytest.approx(report.utility.loss)
    assert best.suppressed == report.rows.suppressed
    satisfying = [own for own in found.combinations if own.satisfies]
    assert len(satisfying) == found.satisfying
    assert all(own.suppressed <= found.allowed for own in satisfying)
    values = [own.value for own in satisfying if own.value is not None]
    assert values == sorted(values)


def test_running_a_combination_gives_what_the_search_said_of_it(report: Report) -> None:
    found = report.exploration
    assert found is not None
    for own in found.combinations[::5]:
        levels = {"name": "levels", "levels": found.by_column(own.levels), "suppression_limit": 0.1}
        plan = document(COLUMNS, models=[{"model": "k-anonymity", "k": 3}], method=levels)
        outcome = protect(Table.from_rows(list(COLUMNS), ROWS), Plan.from_document(plan))
        assert outcome.solution == own.satisfies
        if own.satisfies:
            assert outcome.report.utility.loss == pytest.approx(own.value)
            assert outcome.report.rows.suppressed == own.suppressed


def test_a_method_that_searches_nothing_explored_nothing() -> None:
    plan = document(COLUMNS, method={"name": "levels", "levels": {"zip": 5}})
    outcome = protect(Table.from_rows(list(COLUMNS), ROWS), Plan.from_document(plan))
    assert outcome.full_report.exploration is None


def test_nobody_but_stewards_is_told(report: Report) -> None:
    assert show_in_house(report).exploration is None
    assert searched().report.exploration is None


def test_a_picked_combination_is_judged_and_can_be_run(report: Report) -> None:
    found = report.exploration
    assert found is not None
    own, other = found.combinations[0], found.combinations[1]
    refused = next(one for one in found.combinations if not one.satisfies)
    told = {}
    for combination in (own, other, refused):
        view = view_combinations(report, {"pick": write_pick(combination.levels)})
        assert view is not None
        check_chart(view.chart)
        told[combination.levels] = view.picked
    assert told[own.levels].is_own
    assert told[other.levels].sentence.startswith("It satisfies every rule: loss ")
    assert told[refused.levels].sentence.startswith("It does not satisfy the plan: ")
    [change] = read_changes(told[other.levels].change)
    assert change == SetLevels(found.by_column(other.levels))


@pytest.mark.parametrize("pick", ["", "x", "1-2", "9-9-9", "1--1-0", "1-" * 300])
def test_nonsense_picks_what_was_released(report: Report, pick: str) -> None:
    view = view_combinations(report, {"pick": pick})
    assert view is not None
    assert view.picked.is_own


def test_levels_are_picked_column_by_column_too(report: Report) -> None:
    view = view_combinations(report, {"level-0": "1", "level-1": "0", "level-2": "0"})
    assert view is not None
    assert view.pick == "1-0-0"


def test_other_levels_that_keep_what_was_hidden_are_proposed(report: Report) -> None:
    found = report.exploration
    assert found is not None
    hidden = found.hidden_by(found.combinations[0].levels)
    told = find_keeping_combination(report)
    choices = [
        one for one in found.combinations if one.satisfies and found.hidden_by(one.levels) < hidden
    ]
    assert (told is None) == (not choices)
    top = tuple(len(column.levels) - 1 for column in found.columns)
    everything = report.transformation.with_entries(levels=found.by_column(top))
    told = find_keeping_combination(report.with_entries(transformation=everything))
    assert told is not None
    picked = tuple(map(int, told.pick.split("-")))
    assert found.hidden_by(picked) < found.hidden_by(top)


def test_stewards_pick_and_run_on_the_page(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    address = reverse("reports:section", args=[run.id, "combinations"])
    found = run.finished_report.exploration
    assert found is not None
    other = next(one for one in found.combinations[1:] if one.satisfies)
    client = signed_in(cast.teammate)
    page = client.get(address, {"pick": write_pick(other.levels)})
    assert "It satisfies every rule" in page.content.decode()
    client.post(
        reverse("runs:try", args=[run.id]),
        {"change": page.context["combinations"].picked.change},
    )
    started = Run.objects.exclude(id=run.id).get()
    assert started.plan["method"]["levels"] == found.by_column(other.levels)
    assert factories.finish_run(started).solution
    page = client.get(reverse("reports:section", args=[started.id, "combinations"]))
    assert "were not kept" in page.content.decode()
    for person, status in ((cast.reviewer, 403), (cast.outsider, 404)):
        assert signed_in(person).get(address).status_code == status
    assert FullDomain.name == run.plan["method"]["name"]
