"""Limits of memory and time for a piece of work.

There are three safeguards. A thread checks memory and time several times a second, and the work
ends at its next call of `progress`. Work that does not call `progress` for a while is ended
together with its process. And a single allocation far beyond the limit is refused by the system at
once.
"""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from deid_portal.engine.files.limits import ReadingLimits

MEGABYTE = 1024 * 1024
# The system also counts memory that is allocated but never used.
ASKED_BUT_UNUSED = 1.5
NO_MEMORY_LEFT = "more memory than the machine has left"


class OverLimit(Exception):  # noqa: N818
    """The work needed more than it may have; the message is for people."""


@dataclass(frozen=True)
class JobLimits:
    """0 means no limit."""

    memory_mb: int = 0
    minutes: int = 0
    memory_words: str = ""  # advice, appended to the message
    minutes_words: str = ""

    def exceeded(self, elapsed_seconds: float) -> OverLimit | None:
        if self.memory_mb and memory_used_mb() > self.memory_mb:
            return self.out_of_memory()
        if self.minutes and elapsed_seconds > 60 * self.minutes:
            minutes = "1 minute" if self.minutes == 1 else f"{self.minutes:,} minutes"
            return OverLimit(f"This took longer than {minutes}. {self.minutes_words}".strip())
        return None

    def out_of_memory(self) -> OverLimit:
        most = f"more than {self.memory_mb:,} MB of memory" if self.memory_mb else NO_MEMORY_LEFT
        return OverLimit(f"This needed {most}. {self.memory_words}".strip())

    @contextmanager
    def refusing_too_much(self) -> Iterator[None]:
        """Let a single allocation far beyond the limit raise MemoryError."""
        if not self.memory_mb or sys.platform != "linux":
            yield
            return
        before = resource.getrlimit(resource.RLIMIT_DATA)
        most = _data_bytes() + int(ASKED_BUT_UNUSED * self.memory_mb * MEGABYTE)
        hard = before[1]
        resource.setrlimit(
            resource.RLIMIT_DATA,
            (most if hard == resource.RLIM_INFINITY else min(most, hard), hard),
        )
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_DATA, before)


def limits_of_reading(words: str = "The upload is kept.") -> JobLimits:
    """Return the limits of a worker that reads a file: those of a run."""
    advice = f"Leave out columns nobody needs, or split the file. {words}"
    return JobLimits(settings.RUN_MEMORY_MB, settings.RUN_MINUTES, advice, advice)


def limits_of_file() -> ReadingLimits:
    """Return the limits of the isolated reader of a file, from those of uploads and runs.

    A table takes up to four times the memory of its text, so text may unpack to a quarter of the
    memory of a run, but at least to the size of an upload.
    """
    upload_mb = settings.UPLOAD_LIMIT_BYTES // MEGABYTE
    memory_mb = settings.RUN_MEMORY_MB
    unpacked_mb = max(upload_mb, memory_mb // 4) if memory_mb else 4 * upload_mb
    return ReadingLimits(unpacked_mb, memory_mb, settings.RUN_MINUTES)


def memory_used_mb() -> int:
    """Return the memory this process holds now (on systems without /proc, the most it ever did)."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most // (MEGABYTE if sys.platform == "darwin" else 1024)
    return pages * resource.getpagesize() // MEGABYTE


def _data_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
