"""Whose run is next: the truth table, and the same through the rows that workers look at."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from deid_portal.accounts.models import Role, User
from deid_portal.celery_app import app
from deid_portal.runs.models import Priority, Run
from deid_portal.runs.selectors import next_run_id, waiting_in_turn
from deid_portal.runs.services import start_run
from deid_portal.runs.turns import Share, WaitingRun, in_turn
from deid_portal.work.leases import claim_next
from tests import factories
from tests.conftest import Cast

A, B, C = (UUID(int=number) for number in (10, 11, 12))
NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


def _run(
    name: int, team: UUID, *, sweep: bool = False, ahead: int = 0, was_left: bool = False
) -> WaitingRun:
    """A run that was queued in the order of its name; `ahead` is the minute it was moved ahead."""
    moved = NOON + timedelta(minutes=ahead) if ahead else None
    queued = NOON + timedelta(seconds=name)
    return WaitingRun(UUID(int=name), team, queued, int(sweep), moved, was_left)


@pytest.mark.parametrize(
    ("waiting", "shares", "order"),
    [
        pytest.param([], {}, [], id="nothing waits"),
        pytest.param([_run(2, A), _run(1, A)], {}, [1, 2], id="the oldest first"),
        pytest.param(
            [_run(1, A, sweep=True), _run(2, A)], {}, [2, 1], id="a single run before a sweep"
        ),
        pytest.param(
            [_run(1, A), _run(2, A), _run(3, A, sweep=True, ahead=1)],
            {},
            [3, 1, 2],
            id="what was moved ahead before all others of the team",
        ),
        pytest.param(
            [_run(1, A, ahead=1), _run(2, A, ahead=2)], {}, [2, 1], id="the last moved ahead wins"
        ),
        pytest.param(
            [_run(1, A, ahead=1), _run(2, A, was_left=True)],
            {},
            [2, 1],
            id="what a dead worker left has had its turn",
        ),
        pytest.param(
            [*(_run(n, A) for n in range(1, 5)), _run(9, B)],
            {},
            [1, 9, 2, 3, 4],
            id="a team that queues many delays another by one run",
        ),
        pytest.param(
            [_run(1, A), _run(2, A), _run(8, B), _run(9, B)],
            {A: Share(2, 50), B: Share(0, 60)},
            [8, 9, 1, 2],
            id="the team with fewest at work",
        ),
        pytest.param(
            [_run(1, A), _run(2, B), _run(3, C)],
            {A: Share(1, 70), B: Share(1, 50), C: Share(1, 60)},
            [2, 3, 1],
            id="among equals the one that waited longest for its turn",
        ),
        pytest.param(
            [_run(1, A), _run(2, A), _run(8, B, sweep=True), _run(9, B, sweep=True)],
            {A: Share(0, 50), B: Share(0, 40)},
            [8, 1, 9, 2],
            id="sweeps of one team are not starved by single runs of another",
        ),
        pytest.param(
            [_run(1, A), _run(2, B, ahead=5)],
            {A: Share(0, 10), B: Share(0, 20)},
            [1, 2],
            id="moving ahead takes nothing from other teams",
        ),
    ],
)
def test_whose_turn_it_is(
    waiting: list[WaitingRun], shares: dict[UUID, Share], order: list[int]
) -> None:
    assert [run.id.int for run in in_turn(waiting, shares)] == order


def _queue(steward: User, team_name: str = "", runs: int = 1) -> list[Run]:
    """Runs of a team of their own, each on a dataset of its own."""
    team = factories.make_team(team_name) if team_name else steward.memberships.get().team
    if team_name:
        steward = factories.make_person(f"steward of {team_name}", team, Role.STEWARD)
    datasets = [factories.make_planned_dataset(steward, team) for _ in range(runs)]
    return [start_run(dataset=dataset, started_by=steward) for dataset in datasets]


def test_any_message_serves_the_run_whose_turn_it_is(cast: Cast) -> None:
    first, second, third = _queue(cast.steward, runs=3)
    (other,) = _queue(cast.steward, "Registry")
    taken = []
    while (lease := claim_next(Run, next_run_id)) is not None:
        taken.append(lease.work.id)
    assert taken == [first.id, other.id, second.id, third.id]


def test_a_run_whose_worker_died_does_not_count_as_running(cast: Cast) -> None:
    (mine,) = _queue(cast.steward)
    (other,) = _queue(cast.steward, "Registry")
    assert claim_next(Run, lambda: mine.id) is not None
    long_ago = timezone.now() - timedelta(hours=1)
    Run.objects.filter(id=mine.id).update(heartbeat_at=long_ago, started_at=long_ago)
    assert {run.id: run.was_left for run in waiting_in_turn()} == {mine.id: True, other.id: False}


def test_a_worker_that_was_too_slow_takes_the_next(cast: Cast) -> None:
    first, second = _queue(cast.steward, runs=2)
    offers = iter([first.id, first.id, second.id])
    assert claim_next(Run, lambda: next(offers)) is not None
    lease = claim_next(Run, lambda: next(offers))
    assert lease is not None
    assert lease.work.id == second.id


def test_members_of_a_sweep_wait_for_single_runs(cast: Cast) -> None:
    first, second = _queue(cast.steward, runs=2)
    Run.objects.filter(id=first.id).update(priority=Priority.SWEEP)
    assert next_run_id() == second.id


def test_a_file_is_read_before_runs_and_runs_go_before_attacks() -> None:
    def priority(task: str) -> int:
        return int(app.amqp.router.route({}, task).get("priority", 0))

    order = [
        "datasets.tasks.read_dataset",
        "runs.tasks.execute_run",
        "attacks.tasks.execute_attack",
    ]
    assert [priority(f"deid_portal.{task}") for task in order] == [0, 6, 9]
