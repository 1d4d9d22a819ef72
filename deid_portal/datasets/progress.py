"""How far the reading of a file is, in words and numbers; a pure function of the row."""

from dataclasses import dataclass

from deid_portal.datasets.models import Reading

# What the work calls its phases, and the share of the whole each usually takes.
PHASES = {
    "read": ("Reading the rows", 70),
    "profile": ("Counting and encrypting every column", 23),
    "detect": ("Looking for what points to people", 5),
    "compare": ("Comparing it with the version before", 2),
}


@dataclass(frozen=True)
class ReadingProgress:
    percent: int | None  # None while the reading waits for its turn
    phase: str
    left: str


def describe_reading(reading: Reading) -> ReadingProgress:
    if reading.is_stopping:
        return ReadingProgress(_percent(reading), "Stopping, at most a second", "")
    if reading.status == Reading.Status.QUEUED:
        return ReadingProgress(None, "Waiting for a worker", "")
    words = PHASES.get(reading.phase, ("Opening the file", 0))[0]
    left = f"attempt {reading.attempt}" if reading.attempt > 1 else ""
    return ReadingProgress(_percent(reading), words, left)


def _percent(reading: Reading) -> int:
    before = 0
    for name, (_, share) in PHASES.items():
        if name == reading.phase:
            within = min(1.0, reading.done / reading.total) if reading.total else 0.0
            return int(before + share * within)
        before += share
    return 0
