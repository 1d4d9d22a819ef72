"""The run page in each of its states, and what one look at it costs."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from deid_portal.accounts.models import User
from deid_portal.runs import queue_position, views
from deid_portal.runs.figures import trace_chart
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.work.leases import claim
from tests import factories
from tests.charts import check_chart
from tests.conftest import Cast
from tests.patience import PATIENCE

SignIn = Callable[[User], Client]
AT_WORK: dict[str, Any] = {
    "fraction": 0.62,
    "left": 6.2,
    "seconds": {"read": 0.3, "patterns": 0.4, "search": 9.1},
    "memory_mb": 212,
    "nodes": 349920,
    "checked": 3118,
    "settled": 202950,
    "metric": "loss",
    "best": 0.2841,
    "bound": 0.2603,
    "best_suppressed": 1422,
    "best_words": {"Zip": "2 hidden", "Age": "exact"},
    "trace": [[0.5, 0.41, 0.18], [2.0, 0.32, 0.22], [8.2, 0.2841, 0.2603]],
    "improved": 3,
}


@pytest.fixture
def run(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(views, "is_queue_reachable", lambda: True)
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    return start_run(dataset=dataset, started_by=cast.steward)


@pytest.fixture
def at_work(run: Run) -> Run:
    assert claim(Run, str(run.id)) is not None
    Run.objects.filter(id=run.id).update(phase="search", done=58, total=100, figures=AT_WORK)
    return run


def _page(client: Client, run: Run) -> str:
    return client.get(reverse("runs:show", args=[run.id])).content.decode()


def test_a_waiting_run_says_how_many_are_ahead(cast: Cast, signed_in: SignIn, run: Run) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    second = start_run(dataset=dataset, started_by=cast.steward)
    factories.make_worker()
    page = _page(signed_in(cast.steward), second)
    assert "1 run ahead of you" in page
    assert "Run next" in page
    assert "Run 1</a> of Patients · hides among 4" in page


def test_without_a_worker_the_page_says_so(cast: Cast, signed_in: SignIn, run: Run) -> None:
    assert "No worker is running." in _page(signed_in(cast.steward), run)


def test_a_run_at_work(cast: Cast, signed_in: SignIn, at_work: Run) -> None:
    page = _page(signed_in(cast.steward), at_work)
    assert "<title> 62 % · Run 1" in page
    assert "2 quasi-identifiers, hides among 4, all kept." in page
    assert "about 6 seconds left" in page
    assert "349,920" in page
    assert "199,832" in page
    assert "The best answer has improved 3 times; the gap to the proof is closing" in page
    assert "212 MB of 4,096 MB" in page
    assert '<dt title="Zip">Zip</dt> <dd>2 hidden</dd>' in page
    assert "<dt> 1 other column </dt> <dd>exact</dd>" in page


def test_who_sees_no_rows_is_told_how_far_it_is_and_not_what_it_found(
    cast: Cast, signed_in: SignIn, at_work: Run
) -> None:
    client = signed_in(cast.approver)
    for address in ("runs:show", "runs:progress"):
        page = client.get(reverse(address, args=[at_work.id])).content.decode()
        assert "about 6 seconds left" in page
        for told in ("349,920", "0.2841", "1,422", "2 hidden", "best answer has improved"):
            assert told not in page


def test_before_an_estimate_no_time_is_promised(
    cast: Cast, signed_in: SignIn, at_work: Run
) -> None:
    Run.objects.filter(id=at_work.id).update(figures={})
    page = _page(signed_in(cast.steward), at_work)
    assert "finding out how long it takes" in page
    assert "Level combinations" not in page
    assert 'id="trace"' not in page


def test_from_the_start_the_first_phase_is_at_work_and_time_left_is_expected(
    cast: Cast, signed_in: SignIn, run: Run
) -> None:
    assert claim(Run, str(run.id)) is not None
    Run.objects.filter(id=run.id).update(figures={"expected": 40.0})
    page = _page(signed_in(cast.steward), run)
    assert "about 40 seconds left" in page
    assert page.count("is-current") == 1
    began = timezone.now() - timedelta(seconds=60)
    Run.objects.filter(id=run.id).update(started_at=began)
    assert "longer than usual, 60 s so far" in _page(signed_in(cast.steward), run)
    assert page.index("is-current") < page.index("Read the table") < page.index("is-waiting")


def test_the_page_that_waited_shows_what_was_done_meanwhile(
    cast: Cast, signed_in: SignIn, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Run.objects.filter(id=run.id).update(sent_at=timezone.now(), queued_at=timezone.now())

    def work_meanwhile(_: float) -> None:
        Run.objects.filter(id=run.id).update(
            status=Run.Status.RUNNING,
            started_at=timezone.now(),
            phase="search",
            done=58,
            total=100,
            figures=AT_WORK,
        )
        monkeypatch.setattr(queue_position, "SECONDS_WORTH_NO_PAGE", 0)

    monkeypatch.setattr("deid_portal.runs.queue_position.time.sleep", work_meanwhile)
    page = _page(signed_in(cast.steward), run)
    assert "62 %" in page
    assert "about 6 seconds left" in page


def test_a_run_that_was_picked_up_says_so(cast: Cast, signed_in: SignIn, at_work: Run) -> None:
    Run.objects.filter(id=at_work.id).update(attempt=2)
    page = _page(signed_in(cast.steward), at_work)
    assert "Attempt 2 of 3: the worker stopped, the run was picked up." in page


def test_stopping_and_stopped(cast: Cast, signed_in: SignIn, at_work: Run) -> None:
    client = signed_in(cast.steward)
    client.post(reverse("runs:stop", args=[at_work.id]))
    page = _page(client, at_work)
    assert "Stopping, at most a second" in page
    assert "Stop this run" not in page
    Run.objects.filter(id=at_work.id).update(status=Run.Status.STOPPED)
    page = _page(client, at_work)
    assert "Run 1 was stopped" in page
    assert reverse("runs:retry", args=[at_work.id]) in page


def test_a_failed_run_says_why_and_offers_a_retry(
    cast: Cast, signed_in: SignIn, at_work: Run
) -> None:
    problem = "This needed more than 2,048 MB of memory. Use fewer quasi-identifiers."
    Run.objects.filter(id=at_work.id).update(status=Run.Status.FAILED, problem=problem)
    page = _page(signed_in(cast.steward), at_work)
    assert problem in page
    assert "the run is picked up" not in page, "it has ended"
    assert reverse("runs:retry", args=[at_work.id]) in page
    assert reverse("runs:retry", args=[at_work.id]) not in _page(signed_in(cast.reviewer), at_work)


def test_one_poll_brings_the_cards_beside_it_along(
    cast: Cast,
    signed_in: SignIn,
    at_work: Run,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client = signed_in(cast.steward)
    address = reverse("runs:progress", args=[at_work.id])
    with django_assert_max_num_queries(7):
        answer = client.get(address, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert 'id="run-side" class="stack" hx-swap-oob="true"' in answer.content.decode()


def test_what_is_drawn_of_the_search_stands_in_its_table(at_work: Run) -> None:
    at_work.refresh_from_db()
    chart = trace_chart(at_work)
    assert chart is not None
    check_chart(chart)


def test_polling_ends_with_the_run(cast: Cast, signed_in: SignIn, at_work: Run) -> None:
    Run.objects.filter(id=at_work.id).update(status=Run.Status.FAILED)
    answer = signed_in(cast.steward).get(reverse("runs:progress", args=[at_work.id]))
    assert answer.status_code == 286
    assert "hx-trigger" not in answer.content.decode()


def test_a_run_that_ends_within_a_moment_skips_the_page(
    cast: Cast, signed_in: SignIn, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Run.objects.filter(id=run.id).update(sent_at=timezone.now(), queued_at=timezone.now())

    def work_meanwhile(seconds: float) -> None:
        factories.finish_run(run)

    monkeypatch.setattr(queue_position, "SECONDS_WORTH_NO_PAGE", PATIENCE)
    monkeypatch.setattr("deid_portal.runs.queue_position.time.sleep", work_meanwhile)
    answer = signed_in(cast.steward).get(reverse("runs:show", args=[run.id]))
    assert answer["Location"] == reverse("reports:report", args=[run.id])
