"""What one piece of work may use of the machine."""

import sys

import numpy as np
import pytest

from deid_portal.work import limits
from deid_portal.work.limits import JobLimits, OverLimit, memory_used_mb


@pytest.mark.parametrize(
    ("asked", "used_mb", "elapsed_seconds", "sentence"),
    [
        (JobLimits(), 10**6, 10**9, ""),
        (JobLimits(memory_mb=2048), 2048, 0, ""),
        (JobLimits(memory_mb=2048), 2049, 0, "This needed more than 2,048 MB of memory."),
        (JobLimits(minutes=30), 0, 1800, ""),
        (JobLimits(minutes=30), 0, 1801, "This took longer than 30 minutes."),
        (JobLimits(minutes=1, minutes_words="Use less."), 0, 61, "longer than 1 minute. Use less."),
    ],
)
def test_what_is_too_much(
    asked: JobLimits,
    used_mb: int,
    elapsed_seconds: float,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "memory_used_mb", lambda: used_mb)
    over = asked.exceeded(elapsed_seconds)
    assert (over is not None) == bool(sentence)
    assert sentence in str(over or "")


def test_memory_is_what_the_process_holds() -> None:
    before = memory_used_mb()
    held = np.ones(100 * 1024 * 1024, dtype=np.uint8)
    assert before > 10
    assert 80 < memory_used_mb() - before < 130
    assert held[-1]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts what was asked for")
def test_one_wish_for_far_too_much_is_refused_at_once() -> None:
    with JobLimits(memory_mb=512).refusing_too_much(), pytest.raises(MemoryError):
        np.ones(2 * 1024**3, dtype=np.uint8)
    assert np.ones(10, dtype=np.uint8).sum() == 10


def test_the_words_say_what_to_do() -> None:
    over = JobLimits(memory_mb=100, memory_words="Use fewer columns.").out_of_memory()
    assert isinstance(over, OverLimit)
    assert str(over) == "This needed more than 100 MB of memory. Use fewer columns."
