"""A queue that is away costs nobody who starts work more than a moment."""

import pytest
from kombu.utils import functional

from deid_portal.runs.tasks import execute_run
from deid_portal.work import queue


def test_work_that_cannot_be_sent_is_left_to_the_sweep_without_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(functional, "sleep", slept.append)
    assert queue.send(execute_run, "id") is False
    assert not slept
