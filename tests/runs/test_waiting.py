"""What people are told while a run waits, and how they change its place."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.runs.models import Run
from deid_portal.runs.queue_position import describe_wait, seconds_until_start
from deid_portal.runs.selectors import next_run_id, waiting_in_turn
from deid_portal.runs.services import start_run
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]


@pytest.mark.parametrize(
    ("ahead", "running_left", "workers", "seconds"),
    [
        (0, [], 2, 0),
        (0, [30, 10], 2, 10),
        (1, [30, 10], 2, 30),
        (2, [30, 10], 2, 40),
        (3, [], 1, 90),
    ],
)
def test_how_long_until_it_starts(
    ahead: int, running_left: list[float], workers: int, seconds: float
) -> None:
    assert seconds_until_start(ahead, running_left, workers, usual=30) == seconds


@pytest.fixture
def two_runs(cast: Cast) -> tuple[Run, Run]:
    datasets = [factories.make_planned_dataset(cast.steward, cast.team) for _ in range(2)]
    first, second = (start_run(dataset=one, started_by=cast.steward) for one in datasets)
    return first, second


def test_without_a_worker_or_experience_no_time_is_promised(two_runs: tuple[Run, Run]) -> None:
    wait = describe_wait(two_runs[1], waiting_in_turn())
    assert (wait.runs_ahead, wait.workers, wait.seconds) == (1, 0, None)


def test_experience_and_workers_give_a_time(cast: Cast, two_runs: tuple[Run, Run]) -> None:
    factories.make_finished_run(cast.steward, cast.team)
    factories.make_worker()
    wait = describe_wait(two_runs[1], waiting_in_turn())
    assert (wait.runs_ahead, wait.workers) == (1, 1)
    assert wait.seconds is not None


def test_a_steward_moves_a_run_ahead(
    cast: Cast, signed_in: SignIn, two_runs: tuple[Run, Run]
) -> None:
    _, second = two_runs
    signed_in(cast.teammate).post(reverse("runs:move-ahead", args=[second.id]))
    assert next_run_id() == second.id
    assert Event.objects.filter(action="run.moved_ahead").count() == 1


def test_a_reviewer_moves_nothing(cast: Cast, signed_in: SignIn, two_runs: tuple[Run, Run]) -> None:
    first, second = two_runs
    signed_in(cast.reviewer).post(reverse("runs:move-ahead", args=[second.id]))
    assert next_run_id() == first.id


def test_a_run_at_work_cannot_be_moved(cast: Cast, signed_in: SignIn) -> None:
    run = factories.make_finished_run(cast.steward, cast.team)
    client = signed_in(cast.steward)
    page = client.post(reverse("runs:move-ahead", args=[run.id]), follow=True)
    assert "does not wait any more" in page.content.decode()
