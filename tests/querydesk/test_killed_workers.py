"""Workers that are really killed: the price is reserved before, noise is drawn once or never."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.launcher.portal import ROOT
from tests.patience import PATIENCE

SCRIPT = Path(__file__).parent / "kill_workers.py"
ALWAYS = {"killed_by": signal.SIGKILL, "reserved": 100_000, "paid": 100_000, "endings": 1}
ANSWERED = {**ALWAYS, "entries": {"paid": 1}, "status": "finished", "has_answer": True, "draws": 1}
# Noise was or may have been drawn: nobody draws again, and nothing is given back.
LOST = {**ALWAYS, "entries": {"paid": 1}, "status": "failed", "has_answer": False}
WANTED = {
    "opening": ANSWERED,
    "opened": ANSWERED,
    "marked": {**LOST, "draws": 0},
    "drawn": {**LOST, "draws": 1},
    "keeping": {**LOST, "draws": 1},
    "kept": ANSWERED,
}


def _kill() -> dict[str, Any]:
    """Let a process of its own do it, whose children die."""
    ended = subprocess.run(
        [sys.executable, str(SCRIPT)],
        cwd=ROOT,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
            "PYTHONPATH": str(ROOT),
            "TEST_DATABASE_URL": "",
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    found: dict[str, Any] = json.loads(ended.stdout.strip().splitlines()[-1])
    return found


def test_a_worker_killed_at_any_step_ends_its_question_once() -> None:
    assert _kill() == WANTED
