"""Tables fetched from a database: CSV files written by the portal, so nothing is guessed.

Which columns are text is known from the database and stands in the format's `types`; the types of
all others are inferred, which is unambiguous as the values are written.
"""

from dataclasses import replace
from typing import BinaryIO

from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.file_format import DatabaseFormat, Settings
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.sample import GuessedSettings, Sample
from deid_portal.engine.files.text_files import TextFiles
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.cell_text import without_midnight
from deid_portal.engine.table.table import Table

WRITTEN_AS = CsvFormat()
_files = TextFiles(is_packed=False)


class DatabaseTables:
    def detect(self, stream: BinaryIO, limits: ReadingLimits, sheet: str = "") -> GuessedSettings:
        return GuessedSettings(DatabaseFormat(), {})

    def read_sample(self, stream: BinaryIO, settings: Settings, limits: ReadingLimits) -> Sample:
        sample = _files.read_sample(stream, WRITTEN_AS, limits)
        return replace(sample, table=_with_days(sample.table))

    def read(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        progress: ProgressCallback | None,
    ) -> Table:
        return _with_days(_files.read(stream, WRITTEN_AS, limits, progress))


def _with_days(table: Table) -> Table:
    columns = tuple(without_midnight(column) for column in table.columns)
    return Table(columns, table.source_sha256)
