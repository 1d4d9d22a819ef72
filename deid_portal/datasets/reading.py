"""What reading makes of an upload: a file becomes a table in the vault with profiled columns."""

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, ClassVar, cast

from deid_portal.datasets.models import Dataset, DatasetColumn, Reading
from deid_portal.datasets.subjects import SubjectKind, SubjectPart
from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.compiled.cores import map_in_threads
from deid_portal.engine.detection import ColumnLook, Findings, look_at, suggest_by_looks
from deid_portal.engine.files.arrow import write_arrow
from deid_portal.engine.files.file_format import FileFormat
from deid_portal.engine.files.table_reader import list_row_problems, read_table
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.profile import ColumnProfile, profile_column
from deid_portal.vault import vault
from deid_portal.work.leases import Lease
from deid_portal.work.limits import limits_of_file
from deid_portal.work.timings import ExpectedTime

# Measured on CSV files; other kinds of files are slower, and the pace of each is learned.
SECONDS_AT_LEAST, SECONDS_PER_BYTE = 0.4, 6e-9


class ReadingFindings(ABC):
    """Everything that is kept of a reading."""

    @property
    @abstractmethod
    def table(self) -> Table: ...

    @property
    @abstractmethod
    def rows(self) -> int: ...

    @property
    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """Return the counts for the audit record."""

    @property
    @abstractmethod
    def size_words(self) -> str: ...

    @abstractmethod
    def write_to(self, dataset: Dataset) -> None:
        """Store what was found; called inside the transaction that ends the reading."""


class ReadSubject(SubjectPart):
    """How an upload is read; `reading_job.py` does it, and ends it exactly once."""

    read_event: ClassVar[str]
    not_read_event: ClassVar[str]
    workers_died: ClassVar[str]
    no_room: ClassVar[str]
    unexpected: ClassVar[str]

    @property
    @abstractmethod
    def not_read_words(self) -> str: ...

    def expect(self) -> ExpectedTime:
        """Return how long reading takes, which is compared with files of the same kind."""
        kind = self.dataset.file_format.get("kind", "")
        modelled = SECONDS_AT_LEAST + self.dataset.file_bytes * SECONDS_PER_BYTE
        return ExpectedTime(f"{self.read_event} {kind}".strip(), modelled)

    @abstractmethod
    def read(self, lease: Lease[Any]) -> ReadingFindings:
        """Read the upload, store its columns under the name of the attempt, and count."""


@dataclass(frozen=True)
class ReadColumns(ReadingFindings):
    """The columns of a table, counted and looked at; their cells are in the vault already."""

    cells: Table
    profiles: tuple[ColumnProfile, ...]
    findings: Findings

    @property
    def table(self) -> Table:
        return self.cells

    @property
    def rows(self) -> int:
        return self.cells.rows

    @property
    def facts(self) -> dict[str, Any]:
        return {"rows": self.rows, "columns": len(self.cells.columns)}

    @property
    def size_words(self) -> str:
        return f"{self.rows:,} rows, {len(self.cells.columns):,} columns"

    def write_to(self, dataset: Dataset) -> None:
        dataset.columns.all().delete()
        DatasetColumn.objects.bulk_create(
            DatasetColumn(
                dataset=dataset,
                position=position,
                name=column.name,
                type=column.type.value,
                missing=profile.missing,
                distinct=profile.distinct,
                uniques=profile.uniques,
                rarest=profile.rarest,
                profile=_values_of(profile),
                suggestion=asdict(self.findings.suggestions[position]),
            )
            for position, (column, profile) in enumerate(
                zip(self.cells.columns, self.profiles, strict=True)
            )
        )


def _values_of(profile: ColumnProfile) -> dict[str, Any]:
    """Return the part of a profile that holds values, which is stored sealed."""
    shown = ("most_frequent", "histogram", "minimum", "maximum", "mean")
    return {name: getattr(profile, name) for name in shown}


class ReadTable(ReadSubject, kind=SubjectKind.TABLE):
    read_event, not_read_event = "dataset.read", "dataset.not_read"
    workers_died = (
        "The worker broke off each time it tried to read this file. Where the machine was not "
        "switched off, the file may be too large for it."
    )
    no_room = (
        "There was no room left to store the table. The upload is kept. "
        "Ask the administrator to make room, then try again."
    )
    unexpected = "The file could not be read because of a fault in the portal. Try again."

    @property
    def not_read_words(self) -> str:
        return f"The file of {self.dataset} could not be read."

    def read(self, lease: Lease[Any]) -> ReadColumns:
        file_format = FileFormat.from_document(lease.work.file_format)
        with vault.open_reader(self.dataset.upload_file) as stream:
            try:
                table = read_table(
                    stream, file_format, lease.progress, self.dataset.file_sha256, limits_of_file()
                )
            except InvalidTable:
                _note_bad_rows(lease, file_format, stream)
                raise
        return store_columns(lease, self.dataset, table)


def _note_bad_rows(lease: Lease[Reading], file_format: FileFormat, stream: BinaryIO) -> None:
    """List all rows that cannot be read, so that they can be corrected together."""
    limits = limits_of_file()
    found = list_row_problems(stream, file_format, progress=lease.progress, limits=limits)
    problems = [asdict(problem) for problem in found]
    Reading.objects.filter(id=lease.work.id).update(row_problems=problems)


def store_columns(lease: Lease[Any], dataset: Dataset, table: Table) -> ReadColumns:
    """Profile every column, suggest its role and store it in the vault; columns in parallel."""

    def work(position: int) -> tuple[ColumnProfile, ColumnLook]:
        # Cached counts are dropped after each column: for all columns they would need much memory.
        column = table.columns[position].without_caches()
        file = dataset.column_file(lease.token, position)
        with vault.VaultWriter(file, is_hashed=False) as writer:
            write_arrow(Table((column,)), cast(BinaryIO, writer))
        return profile_column(column), look_at(column)

    count = len(table.columns)
    steps = Progress(lease.progress)
    steps.report(0, count, "profile")
    # The longest first, so that no core waits for it at the end.
    order = sorted(range(count), key=lambda position: -table.columns[position].different)
    done = map_in_threads(work, order, lambda done: steps.report(done, count, "profile"))
    in_place = dict(zip(order, done, strict=True))
    profiles, looks = zip(*(in_place[position] for position in range(count)), strict=True)
    return ReadColumns(table, profiles, suggest_by_looks(table, looks, lease.progress))
