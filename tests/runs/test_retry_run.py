from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.services import tag_columns
from deid_portal.runs.models import Priority, Run
from deid_portal.runs.services import retry_run, start_run, stop_run
from deid_portal.runs.sweeps import SweepGrid, start_sweep
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.fixture
def stopped(cast: Cast) -> Run:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    run = start_run(dataset=dataset, started_by=cast.steward)
    stop_run(run=run, stopped_by=cast.steward)
    run.refresh_from_db()
    return run


def test_the_same_frozen_plan_is_carried_out_again(
    cast: Cast, signed_in: SignIn, stopped: Run
) -> None:
    tag_columns(dataset=stopped.dataset, tagged_by=cast.steward, roles={3: "insensitive"})
    answer = signed_in(cast.teammate).post(reverse("runs:retry", args=[stopped.id]))
    again = Run.objects.get(number=2)
    assert answer["Location"] == reverse("runs:show", args=[again.id])
    assert again.plan == stopped.plan
    assert again.retry_of == stopped
    assert again.started_by == cast.teammate
    assert factories.finish_run(again).status == Run.Status.FINISHED
    stopped.refresh_from_db()
    assert stopped.status == Run.Status.STOPPED
    started = Event.objects.filter(action="run.started").first()
    assert started is not None
    assert started.facts["retry_of_run"] == stopped.number


def test_a_double_click_retries_once(cast: Cast, signed_in: SignIn, stopped: Run) -> None:
    client = signed_in(cast.steward)
    first, second = (client.post(reverse("runs:retry", args=[stopped.id])) for _ in range(2))
    assert first["Location"] == second["Location"]
    assert Run.objects.count() == 2


def test_a_run_with_an_answer_is_not_retried(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    page = signed_in(cast.steward).post(reverse("runs:retry", args=[run.id]), follow=True)
    assert "This run has an answer already" in page.content.decode()
    assert Run.objects.count() == 1


def test_a_reviewer_retries_nothing(cast: Cast, signed_in: SignIn, stopped: Run) -> None:
    signed_in(cast.reviewer).post(reverse("runs:retry", args=[stopped.id]))
    assert Run.objects.count() == 1


def test_in_a_sweep_the_retry_takes_its_place(cast: Cast) -> None:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    sweep = start_sweep(
        dataset=dataset, grid=SweepGrid(look_alikes=(2, 3)), started_by=cast.steward
    )
    run, other = sweep.runs.order_by("number")
    stop_run(run=run, stopped_by=cast.steward)
    run.refresh_from_db()
    again = retry_run(run=run, retried_by=cast.steward)
    assert set(sweep.runs.all()) == {again, other}
    assert again.priority == Priority.SWEEP
