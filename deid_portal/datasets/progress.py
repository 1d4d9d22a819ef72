"""The progress of reading a file, as a pure function of its row."""

from collections.abc import Mapping
from dataclasses import dataclass

from deid_portal.work.leases import Work

# The phases of the work, and the share of time each usually takes.
Phases = Mapping[str, tuple[str, int]]
PHASES: Phases = {
    "read": ("Reading the rows", 70),
    "problems": ("Looking for every row with a problem", 0),
    "profile": ("Counting and encrypting every column", 23),
    "detect": ("Looking for what points to people", 5),
    "compare": ("Comparing it with the version before", 2),
}


@dataclass(frozen=True)
class ReadingProgress:
    percent: int | None  # None while it waits for its turn, and until something is counted
    phase: str
    left: str


def describe_reading(reading: Work, phases: Phases = PHASES) -> ReadingProgress:
    if reading.is_stopping:
        return ReadingProgress(_percent(reading, phases), "Stopping, at most a second", "")
    if reading.status == reading.Status.QUEUED:
        return ReadingProgress(None, "Waiting for a worker", "")
    words = phases.get(reading.phase, ("Opening the file", 0))[0]
    if rows := (reading.figures or {}).get("rows"):
        words = f"{words}, {rows:,} so far"
    attempt = f"attempt {reading.own_attempt}" if reading.own_attempt > 1 else ""
    left = " · ".join(filter(None, [reading.time_words, attempt]))
    return ReadingProgress(_percent(reading, phases), words, left)


def _percent(reading: Work, phases: Phases) -> int | None:
    if reading.phase not in phases:
        return None
    before = 0
    for name, (_, share) in phases.items():
        if name == reading.phase:
            within = min(1.0, reading.done / reading.total) if reading.total else 0.0
            return int(before + share * within)
        before += share
    return 0
