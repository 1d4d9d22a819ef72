"""However the portal ends, nothing of it keeps running, and the next start finds its data.

In between, runs are shared out and handed back. Not in `test_chaos.py`, where whoever is silent for
two seconds counts as dead and begins again.
"""

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from redis import Redis

from tests.launcher.pause import workers_paused
from tests.launcher.portal import (
    REAL_KEYS,
    RunningPortal,
    migrate,
    processes_of,
    running_portal,
    wait_until,
)
from tests.launcher.test_chaos import catch_at_work, check_each_ended_once, pool_of, start_runs
from tests.launcher.world import look_up, tell_portal
from tests.patience import PATIENCE

# Whoever is slow is not taken for dead, and nothing waits long for its turn.
SETTINGS = {
    **REAL_KEYS,
    "WORK_STALE_SECONDS": str(PATIENCE),
    "WORK_SWEEP_SECONDS": "1",
    "WORK_RESEND_SECONDS": "3",
    "WORK_HEARTBEAT_SECONDS": "1",
}
TWO_TEAMS = """
tables = []
for name in ("carol", "dave"):
    steward, team = make_steward(name, f"{name} office")
    tables.append(make_table(steward, team, columns=9, rows=1500))
print(*(table.id.hex for table in tables))
"""
SIX_RUNS = """
from deid_portal.datasets.models import Dataset
for table_id, ks in (("{many}", range(5, 10)), ("{one}", [5])):
    table = Dataset.objects.get(id=table_id)
    for k in ks:
        protect(table, table.created_by, k)
        start_run(dataset=table, started_by=table.created_by)
"""


def open_database(data_dir: Path) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(data_dir / "portal.sqlite3", timeout=PATIENCE))


def name_of_team(data_dir: Path) -> str:
    with open_database(data_dir) as database:
        [(name,)] = database.execute("SELECT name FROM accounts_team")
    return str(name)


def add_team(data_dir: Path, name: str) -> None:
    with open_database(data_dir) as database, database:
        database.execute(
            "INSERT INTO accounts_team (id, name, created_at, requires_second_factor) "
            "VALUES (?, ?, '2026-01-01', 0)",
            ["0" * 32, name],
        )


def broker(data_dir: Path) -> Redis:
    return Redis(unix_socket_path=str(data_dir / "broker" / "v.sock"), decode_responses=True)


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data_dir = tmp_path_factory.mktemp("stopping") / "var"
    migrate(data_dir)
    return data_dir


@pytest.fixture(scope="module")
def portal(data_dir: Path) -> Iterator[RunningPortal]:
    """The second start on the same data."""
    with running_portal(data_dir, **SETTINGS) as portal:
        wait_until(lambda: len(pool_of(portal)) == 2, "the worker has its pool")
        yield portal


def test_stopped_by_a_person_it_leaves_nothing_running(data_dir: Path) -> None:
    with running_portal(data_dir, **SETTINGS) as portal:
        add_team(data_dir, "Kept")
        broker(data_dir).set("kept", "in the queue")
        assert portal.stop(signal.SIGINT) == 0
        wait_until(lambda: not processes_of(data_dir), "everything ended with the launcher")


def test_the_next_start_finds_the_data(portal: RunningPortal, data_dir: Path) -> None:
    assert name_of_team(data_dir) == "Kept"
    assert broker(data_dir).get("kept") == "in the queue"


def test_a_team_with_one_run_does_not_wait_for_all_of_another(portal: RunningPortal) -> None:
    many, one = tell_portal(portal, TWO_TEAMS)[-1].split()
    with workers_paused(portal):  # until everybody waits
        tell_portal(portal, SIX_RUNS.format(many=many, one=one))
    check_each_ended_once(portal, one, 1)
    check_each_ended_once(portal, many, 5)
    order = "SELECT dataset_id FROM runs_run WHERE dataset_id IN (?, ?) ORDER BY started_at"
    started = [row[0] for row in look_up(portal, order, many, one)]
    # Two workers took the first two; the team that had none was next.
    assert started.index(one) <= 2


def test_a_worker_told_to_stop_hands_its_run_back(portal: RunningPortal) -> None:
    table, runs = start_runs(portal, "erin", 3), 3
    handed_back = "SELECT count(*) FROM runs_run WHERE dataset_id = ? AND handed_back > 0"
    while look_up(portal, handed_back, table) == [(0,)]:  # a run may end before it is told
        runs = catch_at_work(portal, table, runs)
        worker = portal.leader("celery", "worker")
        os.kill(worker, signal.SIGTERM)
        wait_until(lambda gone=worker: gone not in portal.pids(), "the worker has ended")
    check_each_ended_once(portal, table, runs)
    of_table = "SELECT attempt, handed_back FROM runs_run WHERE dataset_id = ?"
    counts = look_up(portal, of_table, table)
    assert all(attempt == 1 + handed_back for attempt, handed_back in counts)  # it costs none


def test_killed_it_takes_everything_along(portal: RunningPortal, data_dir: Path) -> None:
    wait_until(lambda: len(portal.pids("celery", "worker")) >= 3, "the worker has its pool")
    portal.stop(signal.SIGKILL)
    wait_until(lambda: not processes_of(data_dir), "everything ended with the launcher")
