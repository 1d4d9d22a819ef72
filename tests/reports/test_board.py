"""The scenario board through its address: what it shows, to whom, and at what price."""

import csv
import io
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.datasets.models import Dataset
from deid_portal.engine.report.summary import AskedProtection, RunSummary
from deid_portal.plans.changes import HideAmong, LeaveOut
from deid_portal.reports import board_views
from deid_portal.reports.board import scenarios_of
from deid_portal.runs.models import Run
from deid_portal.runs.variants import start_variant
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def run(cast: Cast) -> Run:
    return factories.make_finished_run(cast.steward, cast.team)


def _vary(run: Run, cast: Cast, *changes: Any) -> Run:
    return start_variant(run=run, changes=changes, started_by=cast.steward).run


def _page(client: Client, dataset: Dataset, query: str = "") -> str:
    return client.get(reverse("reports:board", args=[dataset.id]) + query).content.decode()


def test_without_a_run_a_sweep_is_offered(cast: Cast, signed_in: SignIn) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    assert "Start a sweep" in _page(signed_in(cast.steward), dataset)
    assert "Start a sweep" not in _page(signed_in(cast.reviewer), dataset)


def test_one_run_is_shown_with_the_hint_to_make_another(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    answer = signed_in(cast.steward).get(reverse("reports:board", args=[run.dataset_id]))
    check_chart(answer.context["chart"])
    page = answer.content.decode()
    assert "One run so far: it loses" in page
    assert "Run another to compare." in page


def test_two_pinned_runs_are_compared_in_words(cast: Cast, run: Run, signed_in: SignIn) -> None:
    factories.finish_run(_vary(run, cast, HideAmong(2)))
    client = signed_in(cast.approver)
    answer = client.get(reverse("reports:board", args=[run.dataset_id]) + "?a=2&b=1")
    board = answer.context["board"]
    assert (board.a.number, board.b.number) == (2, 1)
    check_chart(answer.context["chart"])
    assert "A keeps more detail, B has the lower risk." in answer.content.decode()
    assert 'id="a-2" aria-label="Pin run 2 as A" checked' in answer.content.decode()


def test_nothing_pinned_recommends_one_and_leaves_the_other_open(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    factories.finish_run(_vary(run, cast, HideAmong(6)))
    answer = signed_in(cast.steward).get(reverse("reports:board", args=[run.dataset_id]))
    board = answer.context["board"]
    assert board.a is not None
    assert board.b is None
    assert "Click a point to compare it with A" in answer.content.decode()


@pytest.mark.parametrize("query", ["?a=99&b=x", "?risk=none&detail=none", "?a=1&b=1", "?a=²"])
def test_an_address_that_asks_for_nothing_real_shows_the_usual(
    cast: Cast, run: Run, signed_in: SignIn, query: str
) -> None:
    answer = signed_in(cast.steward).get(reverse("reports:board", args=[run.dataset_id]) + query)
    assert answer.status_code == 200
    assert answer.context["board"].a.number == 1
    assert answer.context["board"].b is None


def test_a_run_that_the_policy_does_not_allow_says_why(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    page = _page(signed_in(cast.steward), run.dataset)  # k = 4, and the usual policy asks for 5
    assert "not allowed" in page
    assert "4 in the smallest group, 3 groups" in page


def test_runs_without_a_solution_are_in_the_table_only(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    ended = _vary(run, cast, HideAmong(5))
    ended.status, ended.solution = Run.Status.FINISHED, False
    ended.summary = RunSummary.telling(
        solution=False, asked=AskedProtection(k=5, limit=0.0, methods=(), rules=())
    )
    ended.save()
    answer = signed_in(cast.steward).get(reverse("reports:board", args=[run.dataset_id]))
    assert [point.scenario.number for point in answer.context["board"].points] == [1]
    assert "no solution" in answer.content.decode()


def test_open_runs_are_counted_and_the_end_of_one_draws_the_board_anew(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    waiting = _vary(run, cast, HideAmong(6))
    assert "1 run still running." in _page(client, run.dataset)
    address = reverse("reports:board-running", args=[run.dataset_id]) + "?ended=1"
    still = client.get(address)
    assert (still.status_code, still.headers.get("HX-Trigger")) == (200, None)
    factories.finish_run(waiting)
    done = client.get(address)
    assert (done.status_code, done.headers["HX-Trigger"]) == (286, "runs-ended")


def test_a_run_that_ends_while_the_board_is_drawn_is_asked_for_again(
    cast: Cast, run: Run, signed_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, the board showed it as still running for ever."""
    later = _vary(run, cast, HideAmong(2))

    def read_and_finish(*given: Any) -> Any:
        found = scenarios_of(*given)
        factories.finish_run(later)
        return found

    monkeypatch.setattr(board_views, "scenarios_of", read_and_finish)
    page = _page(signed_in(cast.steward), run.dataset)
    assert reverse("reports:board-running", args=[run.dataset_id]) + "?ended=1" in page


def test_a_pinned_run_that_is_still_running_says_so(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    _vary(run, cast, HideAmong(6))
    page = _page(signed_in(cast.steward), run.dataset, "?a=1&b=2")
    assert "They are compared as soon as both have ended." in page


def test_the_comparison_goes_to_a_spreadsheet(cast: Cast, run: Run, signed_in: SignIn) -> None:
    factories.finish_run(_vary(run, cast, HideAmong(2), LeaveOut(0.25)))
    address = reverse("reports:comparison", args=[run.dataset_id]) + "?a=1&b=2"
    answer = signed_in(cast.reviewer).get(address)
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert rows[0][:2] == ["Column or number", "Run 1"]
    assert {"Rows left out", "Average risk", "Groups"} <= {row[0] for row in rows}
    assert answer["Content-Disposition"].endswith('filename="patients-runs-1-2.csv"')


def test_two_hundred_runs_cost_no_more_queries_than_two(
    cast: Cast, run: Run, signed_in: SignIn
) -> None:
    client = signed_in(cast.steward)
    second = factories.finish_run(_vary(run, cast, HideAmong(6)))
    address = reverse("reports:board", args=[run.dataset_id]) + "?a=1&b=2"
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(address)
    copies = []
    for number in range(3, 203):
        copy = Run.objects.get(id=second.id)
        # Opened where it lies, so that it is sealed anew for the row it is copied to.
        for field in copy._meta.concrete_fields:
            getattr(copy, field.attname)
        copy.id, copy.number = uuid4(), number
        copies.append(copy)
    Run.objects.bulk_create(copies)
    with CaptureQueriesContext(connection) as many:
        answer = client.get(address)
    assert len(answer.context["board"].points) == 202
    assert len(many) == len(few) <= 30
    reading = [query["sql"] for query in many if '"runs_run"."report"' in query["sql"]]
    assert reading == []
