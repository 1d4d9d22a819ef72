"""Parallel work gives the same results as sequential work, and stops together."""

import threading
import time
from typing import Any

import pytest

from deid_portal.engine import Cancelled
from deid_portal.engine.compiled import cores
from deid_portal.engine.compiled.cores import map_in_threads, open_pool, run_both
from deid_portal.engine.progress import Progress
from tests.patience import PATIENCE


@pytest.mark.parametrize("count", [1, 2])
def test_both_answers_come_back(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: count)
    assert run_both(lambda own: 1, lambda own: "two", Progress(None)) == (1, "two")


def test_only_the_callers_thread_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: 2)
    threads = set()

    def told(done: int, total: int, phase: str, **figures: Any) -> None:
        threads.add(threading.get_ident())

    def work(progress: Progress) -> None:
        progress.report(1, 1, "search")

    run_both(work, work, Progress(told))
    assert threads == {threading.get_ident()}


def test_stopping_one_stops_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: 2)
    ended = threading.Event()

    def stop(done: int, total: int, phase: str, **figures: Any) -> None:
        raise Cancelled("Stopped.")

    def go_on(progress: Progress) -> None:
        try:
            while True:
                progress.report(1, 1, "search")
                time.sleep(0.001)
        finally:
            ended.set()

    with pytest.raises(Cancelled):
        run_both(lambda own: own.report(1, 1, "search"), go_on, Progress(stop))
    assert ended.is_set()


def test_a_fault_of_the_second_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: 2)

    def fail(progress: Progress) -> None:
        raise ValueError("second")

    with pytest.raises(ValueError, match="second"):
        run_both(lambda own: 1, fail, Progress(None))


@pytest.mark.parametrize("count", [1, 2])
def test_spread_out_work_comes_back_in_order(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: count)
    told: list[int] = []
    assert map_in_threads(lambda item: item * item, range(5), told.append) == [0, 1, 4, 9, 16]
    assert told[-1] == 5
    assert told == sorted(told)


@pytest.mark.parametrize("count", [1, 2])
def test_what_has_not_begun_is_left_when_stopped(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: count)
    begun = []
    stopped = threading.Event()

    def work(item: int) -> None:
        begun.append(item)
        if item:  # the others go on only after the stop
            stopped.wait(PATIENCE)

    def stop(done: int) -> None:
        stopped.set()
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        map_in_threads(work, range(100), stop)
    assert len(begun) < 100


@pytest.mark.parametrize("count", [1, 2])
def test_a_fault_in_spread_out_work_is_raised(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: count)

    def work(item: int) -> int:
        if item == 3:
            raise ValueError("third")
        return item

    with pytest.raises(ValueError, match="third"):
        map_in_threads(work, range(5), lambda done: None)


@pytest.mark.parametrize("count", [1, 2])
def test_a_pool_of_any_size_keeps_answers_and_faults(count: int) -> None:
    with open_pool(count) as pool:
        answer, fault = pool.submit(int, "7"), pool.submit(int, "x")
        assert answer.result() == 7
        with pytest.raises(ValueError, match="invalid literal"):
            fault.result()
