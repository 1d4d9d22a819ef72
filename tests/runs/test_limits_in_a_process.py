"""Limits of a run in a process of its own, with the thread that watches over it."""

import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.launcher.portal import REAL_KEYS, ROOT, environment, migrate
from tests.patience import PATIENCE

PREPARE = """
import time
from deid_portal.work.leases import claim
from deid_portal.runs import tables
from deid_portal.runs.execution import perform_run
from deid_portal.runs.models import Run
from deid_portal.runs.services import start_run
from deid_portal.accounts.models import Role
from tests import factories
team = factories.make_team()
steward = factories.make_person("steward", team, Role.STEWARD)
run = start_run(dataset=factories.make_planned_dataset(steward, team), started_by=steward)
lease = claim(Run, str(run.id))
"""
WORK_WITH_PROGRESS = """
def protect(table, plan, progress, **options):
    while True:
        progress(1, 2, "search")
        time.sleep(0.05)
"""
WORK_WITHOUT_PROGRESS = """
def protect(table, plan, progress, **options):
    while True:
        time.sleep(0.05)
"""
# Less than the program itself needs, so whatever it does is too much; set when the table is there,
# because reading its file has the same limit.
PERFORM = """
from django.conf import settings
settings.RUN_MEMORY_MB = 50
tables.protect = protect
perform_run(lease)
print("the process goes on")
"""


@pytest.fixture(scope="module")
def empty_portal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limits")
    migrate(folder)
    return folder


@pytest.fixture
def data_dir(empty_portal: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(empty_portal, tmp_path / "data"))


def _ending(data_dir: Path) -> tuple[str, str]:
    with closing(sqlite3.connect(data_dir / "portal.sqlite3", timeout=PATIENCE)) as database:
        [(status, problem)] = database.execute("SELECT status, problem FROM runs_run").fetchall()
    return status, problem.partition(".")[0]


def _shell(code: str, data_dir: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "shell", "-v0", "-c", code],
        cwd=ROOT,
        env=environment(data_dir, **REAL_KEYS),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_a_run_over_its_memory_ends_and_the_process_goes_on(data_dir: Path) -> None:
    done = _shell(PREPARE + WORK_WITH_PROGRESS + PERFORM, data_dir)
    assert done.returncode == 0, done.stderr
    assert "the process goes on" in done.stdout
    assert _ending(data_dir) == ("failed", "This needed more than 50 MB of memory")


def test_a_run_that_gives_no_sign_is_ended_with_its_process(data_dir: Path) -> None:
    done = _shell(PREPARE + WORK_WITHOUT_PROGRESS + PERFORM, data_dir)
    assert done.returncode == 70
    assert "the process goes on" not in done.stdout
    assert _ending(data_dir) == ("failed", "This needed more than 50 MB of memory")
