"""Failed attempts are counted by the same rules in Valkey (all processes) and in one process."""

import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from pytest_django import Settings
from redis import Redis

from deid_portal.accounts import attempt_counters
from deid_portal.accounts.attempt_counters import (
    Counters,
    FallbackCounters,
    Limit,
    LocalCounters,
    SharedCounters,
)
from deid_portal.work.broker import client_url
from tests.launcher.portal import ROOT
from tests.patience import PATIENCE
from tests.valkey import running_valkey

WAIT = 900
TAKE_ELSEWHERE = f"""
import sys
from deid_portal.accounts import attempt_counters
from deid_portal.accounts.attempt_counters import Limit, SharedCounters
attempt_counters.LONGEST_WAIT_SECONDS = {PATIENCE}
limit = Limit("one", 3)
print([bool(SharedCounters(sys.argv[1]).take([limit], 900).wait_seconds) for _ in range(2)])
"""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a server that is well may need longer than a person should wait."""
    monkeypatch.setattr(attempt_counters, "LONGEST_WAIT_SECONDS", PATIENCE)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_valkey(tmp_path_factory.mktemp("valkey")) as address:
        yield address


@pytest.fixture
def url(address: str) -> str:
    url = client_url(address)
    Redis.from_url(url).flushdb()
    return url


@pytest.fixture(params=["shared", "local"])
def counted(request: pytest.FixtureRequest) -> Counters:
    if request.param == "local":
        return LocalCounters()
    return SharedCounters(request.getfixturevalue("url"))


def limit(counted: Counters, key: str, most: int, ends_with_success: bool = False) -> Limit:
    """A limit of which this many get through: a process by itself halves them."""
    share = attempt_counters.LOCAL_SHARE if isinstance(counted, LocalCounters) else 1
    return Limit(key, most * share, ends_with_success)


def allowed(counted: Counters, *limits: Limit) -> bool:
    return not counted.take(limits, WAIT).wait_seconds


def test_so_many_are_allowed_and_then_one_waits(counted: Counters) -> None:
    one = limit(counted, "one", 3)
    taken = [counted.take([one], WAIT) for _ in range(5)]
    assert [bool(answer.wait_seconds) for answer in taken] == [False] * 3 + [True] * 2
    assert [answer.reached_limit for answer in taken] == [False, False, True, False, False]
    assert WAIT - 60 < taken[-1].wait_seconds <= WAIT


def test_every_counter_has_to_allow_it_and_a_refused_try_counts_nowhere(counted: Counters) -> None:
    narrow, wide = limit(counted, "narrow", 1), limit(counted, "wide", 3)
    assert [allowed(counted, narrow, wide) for _ in range(4)] == [True, False, False, False]
    assert [allowed(counted, wide) for _ in range(3)] == [True, True, False]


def test_a_right_try_is_given_back_and_ends_only_what_says_so(counted: Counters) -> None:
    own, shared = limit(counted, "own", 3, ends_with_success=True), limit(counted, "shared", 3)
    assert all(allowed(counted, own, shared) for _ in range(2))
    counted.take([own, shared], WAIT).give_back()
    assert [allowed(counted, shared) for _ in range(2)] == [True, False]
    assert [allowed(counted, own) for _ in range(4)] == [True, True, True, False]


def test_tries_at_the_same_instant_all_count(counted: Counters) -> None:
    one = limit(counted, "one", 5)
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda _: allowed(counted, one), range(64)))
    assert answers.count(True) == 5


def test_something_is_claimed_once(counted: Counters) -> None:
    assert [counted.claim("code", 90), counted.claim("code", 90), counted.claim("b", 90)] == [
        True,
        False,
        True,
    ]


def test_two_connections_and_another_process_count_together(url: str) -> None:
    first, second = SharedCounters(url), SharedCounters(url)
    assert allowed(first, Limit("one", 3))
    command = [sys.executable, "-c", TAKE_ELSEWHERE, url]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.strip() == "[False, False]"
    assert not allowed(second, Limit("one", 3))


def test_valkey_forgets_tries_by_itself_and_from_the_last_one_on(url: str) -> None:
    shared, redis = SharedCounters(url), Redis.from_url(url)
    kept = f"{attempt_counters.PREFIX}one"
    shared.take([Limit("one", 2)], WAIT)
    redis.pexpire(kept, 1000)
    shared.take([Limit("one", 2)], WAIT)  # the last that is allowed: now the wait begins
    assert redis.pttl(kept) > 1000
    assert [key.decode() for key in redis.scan_iter()] == [kept]


def test_a_process_forgets_tries_when_the_wait_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(attempt_counters.time, "monotonic", lambda: now)
    local = LocalCounters()
    assert [allowed(local, Limit("one", 2)) for _ in range(2)] == [True, False]
    now = WAIT
    assert allowed(local, Limit("one", 2))


def test_a_process_keeps_no_more_than_it_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_counters, "MOST_KEPT_LOCALLY", 3)
    local = LocalCounters()
    for number in range(20):
        local.take([Limit(str(number), 2)], WAIT)
    assert not allowed(local, Limit("19", 2))
    assert allowed(local, Limit("0", 2))


def test_without_redis_a_process_allows_half_and_says_so(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings.CELERY_BROKER_URL = f"redis+socket://{tmp_path}/nobody.sock"
    counters = FallbackCounters()
    with caplog.at_level(logging.WARNING):
        answers = [not counters.take([Limit("one", 5)], WAIT).wait_seconds for _ in range(4)]
    assert answers == [True, True, False, False]
    assert "Redis does not answer" in caplog.text
    assert [counters.claim("code", 90), counters.claim("code", 90)] == [True, False]


def test_redis_is_asked_again_after_a_while(
    settings: Settings, url: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(attempt_counters.time, "monotonic", lambda: now)
    settings.CELERY_BROKER_URL = address.replace("v.sock", "nobody.sock")
    counters = FallbackCounters()
    assert not counters.take([Limit("one", 1)], WAIT).wait_seconds
    assert counters.take([Limit("one", 1)], WAIT).wait_seconds
    settings.CELERY_BROKER_URL = address
    assert counters.take([Limit("one", 1)], WAIT).wait_seconds
    now += attempt_counters.LOOK_AGAIN_SECONDS
    assert not counters.take([Limit("one", 1)], WAIT).wait_seconds
    assert not SharedCounters(url).claim("one", 90)


def test_a_redis_that_says_nothing_holds_nobody_up(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempt_counters, "LONGEST_WAIT_SECONDS", 0.01)
    path = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(path))
        silent.listen()
        settings.CELERY_BROKER_URL = f"redis+socket://{path}"
        counters = FallbackCounters()
        taken = counters.take([Limit("one", 2)], WAIT)
        assert not taken.wait_seconds
        taken.give_back()
        assert not counters.take([Limit("one", 2)], WAIT).wait_seconds


def test_what_was_taken_from_redis_can_be_given_back_while_it_is_away(
    settings: Settings, tmp_path: Path
) -> None:
    with running_valkey(tmp_path / "own") as address:
        settings.CELERY_BROKER_URL = address
        counters = FallbackCounters()
        taken = counters.take([Limit("one", 2)], WAIT)
    taken.give_back()
    assert not counters.take([Limit("one", 2)], WAIT).wait_seconds
