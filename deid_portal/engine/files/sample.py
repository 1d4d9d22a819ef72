"""The beginning of a file as a small table, for people to check."""

from dataclasses import dataclass
from typing import BinaryIO, Protocol

from deid_portal.engine.files.file_format import Settings
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.table import Table

SAMPLE_ROWS = 1000


@dataclass(frozen=True)
class GuessedSettings:
    """Guessed settings and, per setting, the words that say why."""

    settings: Settings
    evidence: dict[str, str]
    sheets: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sample:
    """The first rows and what a person should know about how they were read."""

    table: Table
    notes: tuple[str, ...] = ()


class FormatModule(Protocol):
    """What every module of a kind of file offers; streams are seekable and start at 0."""

    def detect(
        self, stream: BinaryIO, limits: ReadingLimits, sheet: str = ""
    ) -> GuessedSettings: ...

    def read_sample(
        self, stream: BinaryIO, settings: Settings, limits: ReadingLimits
    ) -> Sample: ...

    def read(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        progress: ProgressCallback | None,
    ) -> Table: ...
