"""The real portal on a real PostgreSQL server that crashes, and on a disk that is truly full."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.launcher.portal import REAL_KEYS, RunningPortal, running_portal, wait_until
from tests.launcher.world import tell_portal
from tests.postgresql import Server, running_server

# Whoever is silent for two seconds counts as dead, on a busy machine also who is only slow: so an
# attempt more costs nothing.
QUICK = {
    "WORK_STALE_SECONDS": "2",
    "WORK_SWEEP_SECONDS": "1",
    "WORK_RESEND_SECONDS": "3",
    "WORK_HEARTBEAT_SECONDS": "1",
    "WORK_ATTEMPTS": "50",
}
MEGABYTES = 4
TABLE = """
steward, team = make_steward("heidi", "heidi office")
table = make_table(steward, team, columns=9, rows=1500)
protect(table, steward)
print(start_run(dataset=table, started_by=steward).id)
"""
AGAIN = """
from deid_portal.runs.models import Run
table = Run.objects.first().dataset
protect(table, table.created_by, 7)
print(start_run(dataset=table, started_by=table.created_by).id)
"""
RETRY = """
from deid_portal.runs.models import Run
from deid_portal.runs.services import retry_run
run = Run.objects.get(id="{run}")
print(retry_run(run=run, retried_by=run.started_by).id)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running_server("portal") as server:
        yield server


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of everything that is not in the database; for root, a small disk of its own."""
    folder = tmp_path_factory.mktemp("crash") / "data" / "files"
    folder.mkdir(parents=True)
    if not _is_root():
        yield folder
        return
    options = f"size={MEGABYTES}m,mode=700"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def _is_root() -> bool:
    return os.getuid() == 0


@pytest.fixture(scope="module")
def portal(server: Server, files: Path) -> Iterator[RunningPortal]:
    settings = {**REAL_KEYS, **QUICK, "DATABASE_URL": server.url("portal")}
    with running_portal(files.parent, **settings) as portal:
        yield portal


def cell(server: Server, question: str) -> object:
    return server.run(question, database="portal")[0][0]


def wait_for_status(server: Server, run: str, status: str) -> None:
    question = f"SELECT status FROM runs_run WHERE id = '{run}'"
    wait_until(lambda: cell(server, question) == status, f"the run is {status}")


def catch_at_work(server: Server, portal: RunningPortal) -> str:
    """Start runs until one is seen searching; on a busy machine it may have ended before.

    Before and after it searches, a run itself asks the database; one that is cut off then fails.
    """
    run = tell_portal(portal, TABLE)[-1]
    while True:
        of_run = f"FROM runs_run WHERE id = '{run}'"
        searches = f"SELECT status = 'running' AND phase = 'search' {of_run}"
        has_ended = f"SELECT status NOT IN ('queued', 'running') {of_run}"
        seen = [searches, has_ended]
        wait_until(lambda asked=seen: any(cell(server, one) for one in asked), "the run searches")
        if cell(server, searches):
            return run
        run = tell_portal(portal, AGAIN)[-1]


def files_of(files: Path, run: str) -> list[str]:
    return [path.name for path in (files / "runs" / run).rglob("*") if path.is_file()]


def wait_for_files(files: Path, run: str, *names: str) -> None:
    """What an attempt has left is deleted right after the end is written."""
    wait_until(lambda: files_of(files, run) == [*names], f"{run} has left only {names}")


def test_a_run_outlives_a_crash_of_the_database(
    portal: RunningPortal, server: Server, files: Path
) -> None:
    run = catch_at_work(server, portal)
    server.crash()
    server.start()
    wait_for_status(server, run, "finished")
    ends = f"SELECT count(*) FROM audit_event WHERE subject_id = '{run}' AND action LIKE 'run.%ed'"
    assert cell(server, f"{ends} AND action <> 'run.started'") == 1
    wait_for_files(files, run, "release.csv")
    wait_until(lambda: portal.health()["status"] == "ok", "the pages are back")


@pytest.mark.skipif(not _is_root(), reason="Only root may make a small disk to fill.")
def test_a_full_disk_ends_a_run_with_a_sentence_and_leaves_nothing_half_written(
    portal: RunningPortal, server: Server, files: Path
) -> None:
    filler = files / "filler"
    subprocess.run(
        ["dd", "if=/dev/zero", f"of={filler}", "bs=4096"], check=False, stderr=subprocess.DEVNULL
    )
    run = tell_portal(portal, AGAIN)[-1]
    wait_for_status(server, run, "failed")
    problem = cell(server, f"SELECT problem FROM runs_run WHERE id = '{run}'")
    assert "no room left" in str(problem)
    wait_for_files(files, run)
    filler.unlink()
    again = tell_portal(portal, RETRY.format(run=run))[-1]
    wait_for_status(server, again, "finished")
    wait_for_files(files, again, "release.csv")
