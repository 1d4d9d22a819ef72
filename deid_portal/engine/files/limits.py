"""What the reading of one file may use: a few kilobytes can unpack to as much as there is."""

from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class ReadingLimits:
    """0 means no limit."""

    unpacked_mb: int = 2048  # of text in a packed file, and of the parts of a workbook
    memory_mb: int = 4096  # of the process in which a library of others reads
    minutes: int = 60  # of its CPU time

    @property
    def unpacked_bytes(self) -> int:
        return self.unpacked_mb * MEGABYTE


USUAL_LIMITS = ReadingLimits()
