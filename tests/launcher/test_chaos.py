"""Runs under way while everything around them is killed: the real portal, broker and workers.

Whatever dies, every run ends exactly once with the same answer, and nothing else is left of it.
"""

import os
import random
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from uuid import UUID

import pytest

from tests.benchmarks.load import World, ask_together, tell
from tests.launcher.portal import (
    REAL_KEYS,
    RunningPortal,
    is_leader,
    migrate,
    running_portal,
    wait_until,
)
from tests.launcher.world import look_up, tell_portal, wait_for
from tests.patience import PATIENCE

# A dead worker is noticed within two seconds, and may die as often as it likes.
QUICK = {
    "WORK_STALE_SECONDS": "2",
    "WORK_SWEEP_SECONDS": "1",
    "WORK_RESEND_SECONDS": "3",
    "WORK_HEARTBEAT_SECONDS": "1",
    "WORK_ATTEMPTS": "50",
}
KILLS = 20
RUNS = 4
AT_WORK = """
SELECT count(*) FROM runs_run WHERE dataset_id = ? AND status = 'running'
AND heartbeat_at > strftime('%Y-%m-%d %H:%M:%f', 'now', '-1.5 seconds')
"""  # by a living worker
NONE_LEFT = """
SELECT count(*) = 0 FROM runs_run WHERE dataset_id = ? AND status IN ('queued', 'running')
"""
TABLE = """
steward, team = make_steward("{name}", "{name} office")
table = make_table(steward, team, columns=9, rows=1500)
for k in range(5, 5 + {runs}):
    protect(table, steward, k)
    start_run(dataset=table, started_by=steward)
print(table.id.hex)
"""
ANOTHER_RUN = """
from deid_portal.datasets.models import Dataset
table = Dataset.objects.get(id="{table}")
protect(table, table.created_by, {k})
start_run(dataset=table, started_by=table.created_by)
"""


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPortal]:
    data_dir = tmp_path_factory.mktemp("chaos") / "data"
    migrate(data_dir)
    with running_portal(data_dir, **REAL_KEYS, **QUICK) as portal:
        wait_until(lambda: len(pool_of(portal)) == 2, "the worker has its pool")
        yield portal


def pool_of(portal: RunningPortal) -> list[int]:
    """Return the processes that do the work, without the one that hands it to them."""
    return sorted(pid for pid in portal.pids("celery", "worker") if not is_leader(pid))


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def start_runs(portal: RunningPortal, name: str, runs: int = 1) -> str:
    """Start runs of a table of their own; return the id of the table."""
    return tell_portal(portal, TABLE.format(name=name, runs=runs))[-1]


def catch_at_work(portal: RunningPortal, table: str, runs: int) -> int:
    """Wait until a living worker is at a run, of which there were so many; return how many now.

    On a busy machine all may have ended before anybody looks. Then another one is started.
    """

    def is_decided() -> bool:
        return any(look_up(portal, asked, table)[0][0] for asked in (AT_WORK, NONE_LEFT))

    while True:
        wait_until(is_decided, "a run is at work, or none is left", look_seconds=0.02)
        if not look_up(portal, NONE_LEFT, table)[0][0]:
            return runs
        tell_portal(portal, ANOTHER_RUN.format(table=table, k=5 + runs))
        runs += 1


def check_each_ended_once(portal: RunningPortal, table: str, runs: int) -> None:
    ended = f"SELECT count(*) = {runs} FROM runs_run WHERE dataset_id = ? AND status = 'finished'"
    wait_for(portal, ended, table)
    of_table = "SELECT id FROM runs_run WHERE dataset_id = ?"
    ids = [row[0] for row in look_up(portal, of_table, table)]
    for run in ids:
        dashed = f"{run[:8]}-{run[8:12]}-{run[12:16]}-{run[16:20]}-{run[20:]}"
        actions = look_up(portal, "SELECT action FROM audit_event WHERE subject_id = ?", dashed)
        assert sorted(actions) == [("run.finished",), ("run.started",)]
        [(attempt,)] = look_up(portal, "SELECT attempt FROM runs_run WHERE id = ?", run)
        check_only_the_answer_is_left(portal, dashed, attempt)
        told = "SELECT count(*) FROM notices_notice WHERE url = ?"
        assert look_up(portal, told, f"/runs/{dashed}/report/") == [(1,)]


def check_only_the_answer_is_left(portal: RunningPortal, run: str, attempt: int) -> None:
    """What dead attempts have left is deleted right after the end is written."""
    answer = {f"{attempt}/release.csv"}
    wait_until(lambda: files_of(portal, run) == answer, f"{run} has left only its answer")


def files_of(portal: RunningPortal, run: str) -> set[str]:
    folder = portal.data_dir / "files" / "runs" / run
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_twenty_killed_workers_lose_and_double_nothing(portal: RunningPortal) -> None:
    chance = random.Random(20)
    table, runs = start_runs(portal, "alice", RUNS), RUNS
    killed: set[int] = set()
    while len(killed) < KILLS:
        runs = catch_at_work(portal, table, runs)
        time.sleep(chance.random())  # some point of the work, another one each time
        if chance.random() < 0.1:
            victims = [portal.leader("celery", "worker")]
        else:
            victims = pool_of(portal)[: chance.choice([1, 2])]
        for victim in set(victims) - killed:
            kill(victim)
            killed.add(victim)
    check_each_ended_once(portal, table, runs)
    [(attempts,)] = look_up(portal, "SELECT sum(attempt) FROM runs_run WHERE dataset_id = ?", table)
    assert attempts > runs, "the kills have hit nothing"


def test_people_look_at_pages_while_two_workers_compute(portal: RunningPortal) -> None:
    """The load benchmark in small: whether anything fails, not how long it takes."""
    table = start_runs(portal, "grace")
    check_each_ended_once(portal, table, 1)
    [(report,)] = look_up(portal, "SELECT id FROM runs_run WHERE dataset_id = ?", table)
    told = tell(portal, f"sign_in(6, 'grace office')\nkeep_workers_busy('{table}', 2)")
    pages = (portal.address, [str(UUID(report))], str(UUID(table)))
    world = World(*pages, told["run"], told["session"])
    answers = ask_together(world, people=6, seconds=2, pages=1)
    assert not any(answers.errors.values()), answers.errors
    assert {"progress of a run", "running jobs"} < set(answers.seconds)
    check_each_ended_once(portal, table, 3)


def test_broker_and_web_server_die_and_the_database_is_briefly_away(
    portal: RunningPortal,
) -> None:
    table = start_runs(portal, "bob", 2)
    kill(portal.leader("valkey-server"))
    runs = catch_at_work(portal, table, 2)
    kill(portal.leader("gunicorn"))
    with closing(sqlite3.connect(portal.data_dir / "portal.sqlite3", timeout=PATIENCE)) as database:
        database.execute("BEGIN IMMEDIATE")  # from here on nobody else can write
        time.sleep(3)  # longer than a worker may be silent
        database.rollback()
    check_each_ended_once(portal, table, runs)
    well = {"status": "ok", "database": True, "queue": True}
    wait_until(lambda: portal.health() == well, "the queue is back")
