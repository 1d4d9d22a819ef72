"""One demo portal, started as `make run` starts it, in a folder that is deep and has a blank."""

import os
import signal
import stat
from collections.abc import Iterator

import pytest

from tests.launcher.running import RunningPortal, manage, processes_of, running_portal, wait_until


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPortal]:
    # Longer than the path of a unix socket may be.
    data_dir = tmp_path_factory.mktemp("a folder") / ("deep-" * 20)
    with running_portal(data_dir, DEMO="1") as portal:
        yield portal


def leader(portal: RunningPortal, *words: str) -> int:
    """Return the process that the launcher itself started, not one that it has forked."""
    [pid] = [pid for pid in portal.pids(*words) if os.getpgid(pid) == pid]
    return pid


def test_it_answers_with_database_and_queue(portal: RunningPortal) -> None:
    assert portal.health() == {"status": "ok", "database": True, "queue": True}


def test_it_prints_the_sign_ins_and_ends_with_the_address(portal: RunningPortal) -> None:
    assert "steward" in portal.output
    assert portal.output.rstrip().splitlines()[-1].startswith("The portal is ready: http://127.0.0")


def test_what_it_writes_is_private(portal: RunningPortal) -> None:
    for name in ("broker", "logs", "portal.sqlite3"):
        assert stat.S_IMODE((portal.data_dir / name).stat().st_mode) & 0o077 == 0, name


def test_a_second_start_on_the_same_data_is_refused(portal: RunningPortal) -> None:
    second = manage("portal", data_dir=portal.data_dir, DEMO="1")
    assert second.returncode == 2
    assert f"already running with the data in {portal.data_dir}: {portal.address}" in second.stderr
    assert len(second.stderr.strip().splitlines()) == 1


def test_a_busy_port_is_a_sentence(portal: RunningPortal) -> None:
    port = int(portal.address.rsplit(":", 1)[1])
    second = manage("portal", data_dir=portal.data_dir.parent / "other", DEMO="1", PORT=str(port))
    assert second.returncode == 2
    assert second.stderr == (
        f"Port {port} is in use. Stop what uses it or choose another, "
        f"for example: PORT={port + 1} make run.\n"
    )


def test_a_killed_worker_comes_back_and_its_pool_is_gone(portal: RunningPortal) -> None:
    wait_until(lambda: len(portal.pids("celery", "worker")) >= 3, 60, "the worker has its pool")
    before = portal.pids("celery", "worker")
    os.kill(leader(portal, "celery", "worker"), signal.SIGKILL)
    wait_until(lambda: portal.pids("celery", "worker") - before, 5, "a new worker is started")
    wait_until(lambda: not portal.pids() & before, 5, "the old pool is gone")
    assert "The worker stopped unexpectedly (signal 9) and is started again." in portal.output


def test_a_killed_broker_comes_back(portal: RunningPortal) -> None:
    os.kill(leader(portal, "valkey-server"), signal.SIGKILL)
    wait_until(lambda: "The broker stopped unexpectedly" in portal.output, 5, "it is noticed")
    wait_until(lambda: portal.health()["queue"], 10, "the queue is back")


def test_a_killed_web_server_comes_back_on_the_same_port(portal: RunningPortal) -> None:
    os.kill(leader(portal, "gunicorn"), signal.SIGKILL)
    wait_until(lambda: "The web server stopped unexpectedly" in portal.output, 5, "it is noticed")
    # The launcher holds the port, so a visitor waits for the new server instead of being refused.
    wait_until(lambda: portal.pids("gunicorn"), 5, "a new web server is started")
    assert portal.health()["status"] == "ok"


def test_being_terminated_ends_well_and_leaves_nothing(portal: RunningPortal) -> None:
    assert portal.stop(signal.SIGTERM) == 0
    assert processes_of(portal.data_dir) == {}
