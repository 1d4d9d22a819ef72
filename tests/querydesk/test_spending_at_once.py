"""Fifty people spend one budget at the same instant; it ends at zero exactly, never below."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.launcher.portal import ROOT
from tests.patience import PATIENCE
from tests.postgresql import running_server

SCRIPT = Path(__file__).parent / "spend_at_once.py"
WANTED = {"paid": 10, "refused": 40, "left": 0, "entries": 10, "in_order": True, "questions": 10}


def _spend(**settings: str) -> dict[str, Any]:
    """Let a process of its own do it: its threads have a database of their own."""
    ended = subprocess.run(
        [sys.executable, str(SCRIPT)],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "PYTHONPATH": str(ROOT),
            "TEST_DATABASE_URL": "",
            **settings,
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    found: dict[str, Any] = json.loads(ended.stdout.strip().splitlines()[-1])
    return found


def test_fifty_threads_on_sqlite() -> None:
    assert _spend() == {**WANTED, "database": "sqlite"}


def test_fifty_threads_on_postgresql() -> None:
    with running_server("spending") as server:
        found = _spend(TEST_DATABASE_URL=server.url("spending"))
    assert found == {**WANTED, "database": "postgresql"}
