"""However the portal ends, nothing of it keeps running, and the next start finds its data."""

import os
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.launcher.portal import (
    REAL_KEYS,
    RunningPortal,
    processes_of,
    running_portal,
    wait_until,
)
from tests.launcher.test_chaos import AT_WORK, check_each_ended_once, leader, start_runs
from tests.launcher.world import look_up, wait_for


def name_of_team(data_dir: Path) -> str:
    with sqlite3.connect(data_dir / "portal.sqlite3") as database:
        [(name,)] = database.execute("SELECT name FROM accounts_team")
    return str(name)


def add_team(data_dir: Path, name: str) -> None:
    with sqlite3.connect(data_dir / "portal.sqlite3") as database:
        database.execute(
            "INSERT INTO accounts_team (id, name, created_at, requires_second_factor) "
            "VALUES (?, ?, '2026-01-01', 0)",
            ["0" * 32, name],
        )


def broker(data_dir: Path) -> Redis:
    return Redis(unix_socket_path=str(data_dir / "broker" / "v.sock"), decode_responses=True)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("stopping") / "var"


@pytest.fixture(scope="module")
def portal(data_dir: Path) -> Iterator[RunningPortal]:
    """The second start on the same data."""
    with running_portal(data_dir, **REAL_KEYS) as portal:
        yield portal


def test_stopped_by_a_person_it_leaves_nothing_running(data_dir: Path) -> None:
    with running_portal(data_dir, **REAL_KEYS) as portal:
        add_team(data_dir, "Kept")
        broker(data_dir).set("kept", "in the queue")
        assert portal.stop(signal.SIGINT) == 0
        assert processes_of(data_dir) == {}


def test_the_next_start_finds_the_data(portal: RunningPortal, data_dir: Path) -> None:
    assert name_of_team(data_dir) == "Kept"
    assert broker(data_dir).get("kept") == "in the queue"


def test_a_worker_told_to_stop_hands_its_run_back(portal: RunningPortal) -> None:
    """Not in `test_chaos.py`, where whoever is silent for two seconds counts as dead."""
    table = start_runs(portal, "erin", 3)  # one may have ended before anybody looks
    wait_for(portal, AT_WORK, table)
    os.kill(leader(portal, "celery", "worker"), signal.SIGTERM)
    check_each_ended_once(portal, table, 3)
    of_table = "SELECT attempt, handed_back FROM runs_run WHERE dataset_id = ?"
    counts = look_up(portal, of_table, table)
    assert any(handed_back for _, handed_back in counts)
    assert all(attempt == 1 + handed_back for attempt, handed_back in counts)  # it costs none


def test_killed_it_takes_everything_along(portal: RunningPortal, data_dir: Path) -> None:
    wait_until(lambda: len(portal.pids("celery", "worker")) >= 3, "the worker has its pool")
    portal.stop(signal.SIGKILL)
    wait_until(lambda: not processes_of(data_dir), "everything ended with the launcher")
