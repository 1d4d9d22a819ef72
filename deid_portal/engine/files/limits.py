"""Limits for reading one file: a few kilobytes can unpack to more than the memory holds."""

from dataclasses import dataclass

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class ReadingLimits:
    """0 means no limit."""

    unpacked_mb: int = 2048  # of text in a packed file, and of the parts of a workbook
    memory_mb: int = 4096  # of the process in which a third-party library reads
    minutes: int = 60  # of its CPU time

    @property
    def unpacked_bytes(self) -> int:
        return self.unpacked_mb * MEGABYTE


USUAL_LIMITS = ReadingLimits()
