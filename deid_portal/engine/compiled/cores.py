"""Using several cores by threads: compiled loops release Python's global lock."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

from deid_portal.engine.errors import Cancelled
from deid_portal.engine.progress import SECONDS_BETWEEN_CALLS, Progress

A = TypeVar("A")
B = TypeVar("B")


def usable_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def open_pool(cores: int) -> Executor:
    """Return an executor of so many threads; for one core it runs in the caller's thread."""
    return ThreadPoolExecutor(cores) if cores > 1 else _CallerThread()


class _CallerThread(Executor):
    """An executor that does the work in the caller's thread, within `submit`."""

    def submit(self, work: Callable[..., A], /, *given: Any, **named: Any) -> Future[A]:
        done: Future[A] = Future()
        try:
            done.set_result(work(*given, **named))
        except Exception as error:
            done.set_exception(error)
        return done


def map_in_threads(
    work: Callable[[A], B], items: Sequence[A], tell: Callable[[int], None]
) -> list[B]:
    """Do the same with every item, on all cores; return what came of each, in order.

    `tell` gets the number of items done, several times a second and always in the caller's thread.
    If it raises, items that have not begun are dropped.
    """
    if usable_cores() < 2:
        return [_then_tell(work(item), tell, done) for done, item in enumerate(items, start=1)]
    with ThreadPoolExecutor(usable_cores()) as pool:
        parts = [pool.submit(work, item) for item in items]
        waiting = set(parts)
        try:
            while waiting:
                done, waiting = wait(waiting, SECONDS_BETWEEN_CALLS, FIRST_COMPLETED)
                for part in done:
                    part.result()
                tell(len(parts) - len(waiting))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [part.result() for part in parts]


def _then_tell(answer: B, tell: Callable[[int], None], done: int) -> B:
    tell(done)
    return answer


def run_both(
    first: Callable[[Progress], A], second: Callable[[Progress], B], progress: Progress
) -> tuple[A, B]:
    """Run two independent functions, at the same time if there are two cores.

    Progress is reported of the first only, in the caller's thread; if the first is stopped, so is
    the second.
    """
    if usable_cores() < 2:
        return first(progress), second(progress)
    stopped = threading.Event()

    def look(done: int, total: int, phase: str, **figures: Any) -> None:
        if stopped.is_set():
            raise Cancelled("Stopped.")

    with ThreadPoolExecutor(1) as pool:
        later = pool.submit(second, Progress(look))
        try:
            answer = first(progress)
            while not wait([later], SECONDS_BETWEEN_CALLS).done:
                progress.again()
        except BaseException:
            stopped.set()
            raise
        return answer, later.result()
