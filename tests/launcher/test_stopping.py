"""However the portal ends, nothing of it keeps running, and the next start finds its data."""

import signal
import sqlite3
from pathlib import Path

from redis import Redis

from tests.launcher.running import REAL_KEYS, processes_of, running_portal, wait_until


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


def test_the_data_is_kept_and_nothing_is_left_running(tmp_path: Path) -> None:
    data_dir = tmp_path / "var"
    with running_portal(data_dir, **REAL_KEYS) as portal:
        add_team(data_dir, "Kept")
        broker(data_dir).set("kept", "in the queue")
        assert portal.stop(signal.SIGINT) == 0
        assert processes_of(data_dir) == {}

    with running_portal(data_dir, **REAL_KEYS) as portal:
        assert name_of_team(data_dir) == "Kept"
        assert broker(data_dir).get("kept") == "in the queue"
        wait_until(lambda: len(portal.pids("celery", "worker")) >= 3, "the worker has its pool")
        portal.stop(signal.SIGKILL)
        wait_until(lambda: not processes_of(data_dir), "everything ended with the launcher")
