"""One demo portal, started as `make run` starts it, in a folder that is deep and has a blank."""

import os
import re
import signal
import stat
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest

from tests.launcher.portal import RunningPortal, manage, processes_of, running_portal, wait_until
from tests.patience import PATIENCE


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningPortal]:
    # Longer than the path of a unix socket may be.
    data_dir = tmp_path_factory.mktemp("a folder") / ("deep-" * 20)
    with running_portal(data_dir, DEMO="1") as portal:
        yield portal


def test_it_answers_with_database_and_queue(portal: RunningPortal) -> None:
    well = {"status": "ok", "database": True, "queue": True}
    wait_until(lambda: portal.health() == well, "all is well")


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


def sign_in(portal: RunningPortal, name: str, password: str) -> int:
    """Sign in as a browser does that nobody has used before; returns the status of the answer."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    there = f"{portal.address}/sign-in/"
    with browser.open(there, timeout=PATIENCE) as page:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())
    assert token
    answers = {"csrfmiddlewaretoken": token[1], "login": name, "password": password}
    try:
        with browser.open(there, urlencode(answers).encode(), timeout=PATIENCE) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def times_counted_alone(portal: RunningPortal) -> int:
    """Return how often a web process did without the broker because it was slow to answer."""
    logs = (portal.data_dir / "logs").glob("*.log")
    return sum(log.read_text().count("Redis does not answer") for log in logs)


def test_wrong_passwords_count_for_all_web_processes_and_outlive_them(
    portal: RunningPortal,
) -> None:
    for name in ("analyst", "reviewer", "approver"):  # on a very busy machine not only the first
        before = times_counted_alone(portal)
        first = [sign_in(portal, name.title(), "wrong") for _ in range(3)]
        killed = kill_web_processes(portal)
        then = [sign_in(portal, name, "wrong") for _ in range(3)]
        if times_counted_alone(portal) == before:
            break
    assert (first, killed, then) == ([200, 200, 200], 2, [200, 200, 429])
    assert sign_in(portal, "steward", "demo-steward") == 200


def kill_web_processes(portal: RunningPortal) -> int:
    old = portal.pids("gunicorn") - {portal.leader("gunicorn")}
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not portal.pids() & old, "the old web processes are gone")
    return len(old)


def test_a_killed_worker_comes_back_and_its_pool_is_gone(portal: RunningPortal) -> None:
    wait_until(lambda: len(portal.pids("celery", "worker")) >= 3, "the worker has its pool")
    before = portal.pids("celery", "worker")
    os.kill(portal.leader("celery", "worker"), signal.SIGKILL)
    wait_until(lambda: portal.pids("celery", "worker") - before, "a new worker is started")
    wait_until(lambda: not portal.pids() & before, "the old pool is gone")
    assert "The worker stopped unexpectedly (signal 9) and is started again." in portal.output


def test_a_killed_broker_comes_back(portal: RunningPortal) -> None:
    os.kill(portal.leader("valkey-server"), signal.SIGKILL)
    wait_until(lambda: "The broker stopped unexpectedly" in portal.output, "it is noticed")
    wait_until(lambda: portal.health()["queue"], "the queue is back")


def test_a_killed_web_server_comes_back_on_the_same_port(portal: RunningPortal) -> None:
    os.kill(portal.leader("gunicorn"), signal.SIGKILL)
    wait_until(lambda: "The web server stopped unexpectedly" in portal.output, "it is noticed")
    # The launcher holds the port, so a visitor waits for the new server instead of being refused.
    wait_until(lambda: portal.pids("gunicorn"), "a new web server is started")
    assert portal.health()["status"] == "ok"


def test_being_terminated_ends_well_and_leaves_nothing(portal: RunningPortal) -> None:
    assert portal.stop(signal.SIGTERM) == 0
    wait_until(lambda: not processes_of(portal.data_dir), "everything ended with the launcher")
