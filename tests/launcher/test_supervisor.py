"""The supervisor with small programs in the place of servers."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from deid_portal.serving import supervisor
from deid_portal.serving.supervisor import (
    LOG_LIMIT_BYTES,
    LONGEST_PAUSE_SECONDS,
    WELL_AFTER_SECONDS,
    Child,
    Program,
    keep_small,
)
from tests.launcher.pause import state_of
from tests.launcher.portal import wait_until

NOW = 1000.0  # on the monotonic clock


def program(tmp_path: Path, code: str) -> Program:
    return Program("program", [sys.executable, "-c", code], tmp_path / "program.log")


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Child:
    """While its clock stands still; how long it takes to end is up to the machine."""
    monkeypatch.setattr(supervisor, "time", SimpleNamespace(monotonic=lambda: NOW))
    child = Child(program(tmp_path, ""))
    child.process.wait()
    return child


def pause_before_next_start(child: Child) -> float:
    child.plan_next_start()
    return child.start_at - NOW


def test_the_first_end_is_followed_by_a_start_at_once(ended: Child) -> None:
    assert pause_before_next_start(ended) <= 0


def test_a_program_that_keeps_ending_soon_is_started_ever_more_rarely(ended: Child) -> None:
    pauses = [pause_before_next_start(ended) for _ in range(9)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_SECONDS


def test_a_program_that_was_well_for_a_while_is_started_at_once_again(ended: Child) -> None:
    ended.quick_ends = 9
    ended.started_at -= WELL_AFTER_SECONDS + 1
    assert pause_before_next_start(ended) <= 0


def test_ending_a_program_ends_what_it_has_forked(tmp_path: Path) -> None:
    code = """
import os, time
forked = os.fork()
print(forked if forked else "", flush=True)
time.sleep(600)
"""
    child = Child(program(tmp_path, code))
    log = child.program.log
    wait_until(lambda: log.exists() and log.read_text().strip(), "it has forked")
    forked = int(log.read_text().split()[0])
    assert state_of(forked) not in ("Z", "")
    child.end_group()
    wait_until(lambda: state_of(forked) in ("Z", ""), "gone")


def test_a_log_that_has_grown_large_is_put_aside(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_bytes(b"x" * (LOG_LIMIT_BYTES + 1))
    keep_small(log)
    assert not log.exists()
    assert (tmp_path / "web.old.log").exists()
