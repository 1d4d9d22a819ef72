"""Telling the caller how far the work is, often enough to be stopped, rarely enough to be cheap."""

from time import perf_counter
from typing import Any, Protocol

SECONDS_BETWEEN_CALLS = 0.2


class ProgressCallback(Protocol):
    """Called as `progress(done, total, phase, **figures)`; may raise Cancelled."""

    def __call__(self, done: int, total: int, phase: str, **figures: Any) -> None: ...


class Progress:
    """Pass figures on to the callback, at most five times a second within one phase."""

    def __init__(self, callback: ProgressCallback | None) -> None:
        self._callback = callback
        self._phase = ""
        self._last = 0.0
        self._latest: tuple[int, int, dict[str, Any]] = (0, 1, {})

    @property
    def is_due(self) -> bool:
        """Say whether `report` would reach the callback now, so that figures need not be made."""
        if self._callback is None:
            return False
        return perf_counter() - self._last >= SECONDS_BETWEEN_CALLS

    def report(self, done: int, total: int, phase: str, **figures: Any) -> None:
        if self._callback is None:
            return
        now = perf_counter()
        if phase == self._phase and done < total and now - self._last < SECONDS_BETWEEN_CALLS:
            return
        self._phase, self._last = phase, now
        self._latest = (done, total, figures)
        self._callback(done, total, phase, **figures)

    def again(self) -> None:
        """Tell the same once more, so that somebody who waits can still stop the work."""
        done, total, figures = self._latest
        if self._callback is not None and self._phase:
            self._callback(done, total, self._phase, **figures)
