"""Suspends the workers of a portal, so that tests can look at waiting work.

A worker suspended while it holds a lock (of the database, or of the vault's keys) would block all
others until pages fail. So workers are resumed and suspended again until none holds a lock.
"""

import fcntl
import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.launcher.portal import RunningPortal, wait_until

HELD_BY_THE_LIVING = 2  # seconds: a process that runs on lets go of a lock sooner


@contextmanager
def workers_paused(portal: RunningPortal) -> Iterator[None]:
    held: set[int] = set()

    def are_held_without_a_lock() -> bool:
        signal_all(held, signal.SIGCONT)
        held.clear()
        held.update(portal.pids("celery", "worker"))
        signal_all(held, signal.SIGSTOP)
        wait_until(lambda: all(map(is_stopped, held)), "the workers stand still")
        return is_database_free(portal.data_dir) and are_keys_free(portal.data_dir)

    try:
        wait_until(are_held_without_a_lock, "the workers stand still and hold no lock")
        yield
    finally:
        signal_all(held, signal.SIGCONT)


def signal_all(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue  # it ended by itself


def is_stopped(pid: int) -> bool:
    """A signal is sent in an instant; a process on another core goes on for a moment."""
    return state_of(pid) in ("T", "Z", "")


def state_of(pid: int) -> str:
    """Return the letter of a process, Z for one that has ended, nothing for one that is gone."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # the latter if it ends while it is read
        return ""
    return status.rsplit(")", 1)[1].split()[0]


def is_database_free(data_dir: Path) -> bool:
    address = data_dir / "portal.sqlite3"
    with closing(sqlite3.connect(address, timeout=HELD_BY_THE_LIVING)) as database:
        try:
            database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return False
        database.rollback()
    return True


def are_keys_free(data_dir: Path) -> bool:
    with (data_dir / "files" / "keys.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
