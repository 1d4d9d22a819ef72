"""CSV files, also packed with gzip."""

import gzip
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, cast

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.format import SAMPLE_BYTES, CsvFormat, detect_csv
from deid_portal.engine.files.csv.reader import preview_csv, read_csv
from deid_portal.engine.files.csv.row_problems import RowProblem, find_row_problems
from deid_portal.engine.files.file_format import Settings
from deid_portal.engine.files.file_kind import DAMAGED_ARCHIVE
from deid_portal.engine.files.library_errors import told_in_a_sentence
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.sample import SAMPLE_ROWS, GuessedSettings, Sample
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.table import Column, Table


@dataclass(frozen=True)
class TextFiles:
    is_packed: bool

    def detect(self, stream: BinaryIO, limits: ReadingLimits, sheet: str = "") -> GuessedSettings:
        with self._unpacked(stream, limits) as text:
            start = text.read(SAMPLE_BYTES)
            found = detect_csv(start, len(start) + bool(text.read(1)))
        quotes = start.count(found.format.quote.encode())
        seen = "some cells stand in quotes" if quotes else "no quotes in the first rows"
        return GuessedSettings(found.format, {**found.evidence, "quote": seen})

    def read_sample(self, stream: BinaryIO, settings: Settings, limits: ReadingLimits) -> Sample:
        form = cast(CsvFormat, settings)
        with self._unpacked(stream, limits) as text:
            preview = preview_csv(text, form, rows=SAMPLE_ROWS)
        cells = zip(*preview.rows, strict=True)
        columns = (
            replace(Column.from_cells(name, column, kind), decimal=form.decimal)
            for name, column, kind in zip(preview.names, cells, preview.types, strict=True)
        )
        return Sample(Table(tuple(columns)), preview.notes)

    def read(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        progress: ProgressCallback | None,
    ) -> Table:
        with self._unpacked(stream, limits) as text:
            return read_csv(text, cast(CsvFormat, settings), progress, is_hashed=False)

    def find_problems(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        most_rows: int,
        progress: ProgressCallback | None,
    ) -> tuple[RowProblem, ...]:
        with self._unpacked(stream, limits) as text:
            form = cast(CsvFormat, settings)
            return find_row_problems(text, form, most_rows=most_rows, progress=progress)

    @contextmanager
    def _unpacked(self, stream: BinaryIO, limits: ReadingLimits) -> Iterator[BinaryIO]:
        if not self.is_packed:
            yield stream
            return
        with gzip.GzipFile(fileobj=stream) as archive:
            yield cast(BinaryIO, io.BufferedReader(_Limited(archive, limits), SAMPLE_BYTES))


class _Limited(io.RawIOBase):
    """An unpacked file that raises InvalidTable if it is damaged or exceeds the limit.

    It is not seekable, so that asking for its length cannot make it unpack twice.
    """

    def __init__(self, archive: gzip.GzipFile, limits: ReadingLimits) -> None:
        self._archive = archive
        self._limits = limits
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        with told_in_a_sentence(DAMAGED_ARCHIVE):
            count = self._archive.readinto(buffer)
        self._given += count
        if self._limits.unpacked_bytes and self._given > self._limits.unpacked_bytes:
            raise InvalidTable(
                f"Unpacked, the file is larger than {self._limits.unpacked_mb:,} MB, the limit "
                f"here. Leave out columns nobody needs, or split it."
            )
        return count
