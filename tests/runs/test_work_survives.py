"""Claiming, heartbeats, stopping and picking up, at the level of the row."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from deid_portal.audit.models import Event
from deid_portal.engine import Cancelled
from deid_portal.runs import execution, tables
from deid_portal.runs.execution import give_up_run, perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.runs.tasks import execute_run
from deid_portal.work import leases
from deid_portal.work.leases import LeaseLost, claim, pick_up_forgotten, request_stop
from tests import factories
from tests.conftest import Cast


@pytest.fixture
def run(cast: Cast) -> Run:
    dataset = factories.make_planned_dataset(cast.steward, cast.team)
    return start_run(dataset=dataset, started_by=cast.steward)


def _make_stale(run: Run) -> None:
    long_ago = timezone.now() - timedelta(hours=1)
    Run.objects.filter(id=run.id).update(heartbeat_at=long_ago)


def _sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    sent: list[str] = []

    def remember(task: object, work_id: str) -> bool:
        sent.append(work_id)
        return True

    monkeypatch.setattr(leases, "send", remember)
    return sent


def test_only_one_worker_gets_a_run(run: Run) -> None:
    assert claim(Run, str(run.id)) is not None
    assert claim(Run, str(run.id)) is None


def test_a_dead_workers_run_is_claimed_again_and_the_dead_one_loses(run: Run) -> None:
    first = claim(Run, str(run.id))
    _make_stale(run)
    second = claim(Run, str(run.id))
    assert first is not None
    assert second is not None
    perform_run(second)
    perform_run(first)
    run.refresh_from_db()
    assert run.status == Run.Status.FINISHED
    assert run.attempt == 2
    assert Event.objects.filter(action="run.finished").count() == 1


def test_a_lost_lease_cannot_write_the_end(run: Run) -> None:
    first = claim(Run, str(run.id))
    _make_stale(run)
    assert claim(Run, str(run.id)) is not None
    assert first is not None
    with pytest.raises(LeaseLost):
        first.finish()


def test_a_waiting_run_stops_at_once(run: Run) -> None:
    request_stop(run)
    run.refresh_from_db()
    assert run.status == Run.Status.STOPPED
    assert claim(Run, str(run.id)) is None


def test_a_running_run_stops_at_its_next_progress(run: Run) -> None:
    lease = claim(Run, str(run.id))
    assert lease is not None
    lease._stop_seen = True
    with pytest.raises(Cancelled):
        lease.progress(1, 10, "search")
    perform_run(lease)
    run.refresh_from_db()
    assert run.status == Run.Status.STOPPED
    assert Event.objects.filter(action="run.stopped").count() == 1


def test_the_sweep_sends_stale_and_unsent_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = _sent(monkeypatch)
    assert pick_up_forgotten(Run, execute_run, give_up_run) == 1
    assert sent == [str(run.id)]
    assert pick_up_forgotten(Run, execute_run, give_up_run) == 0
    claim(Run, str(run.id))
    assert pick_up_forgotten(Run, execute_run, give_up_run) == 0
    _make_stale(run)
    assert pick_up_forgotten(Run, execute_run, give_up_run) == 1
    assert sent == [str(run.id)] * 2


def test_attempts_handed_back_by_a_stopping_worker_do_not_count(
    run: Run, settings: Settings
) -> None:
    many = settings.WORK_ATTEMPTS + 2
    Run.objects.filter(id=run.id).update(attempt=many, handed_back=many)
    lease = claim(Run, str(run.id))
    assert lease is not None
    assert lease.work.own_attempt == 1


def test_a_run_that_kills_its_workers_is_given_up(
    run: Run, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = _sent(monkeypatch)
    for _ in range(settings.WORK_ATTEMPTS):
        assert claim(Run, str(run.id)) is not None
        _make_stale(run)
    pick_up_forgotten(Run, execute_run, give_up_run)
    run.refresh_from_db()
    assert run.status == Run.Status.FAILED
    assert "worker broke off each time" in run.problem
    assert sent == []


def test_a_fault_of_ours_is_a_neutral_sentence_and_keeps_travelling(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError("13053 caused this")

    monkeypatch.setattr(tables, "protect", explode)
    lease = claim(Run, str(run.id))
    assert lease is not None
    with pytest.raises(RuntimeError):
        perform_run(lease)
    run.refresh_from_db()
    assert run.status == Run.Status.FAILED
    assert "13053" not in run.problem
    assert run.problem == execution.UNEXPECTED
