"""How one file is read: what kind it is, the settings of that kind, and corrected types."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.column_types import TypeChoice
from deid_portal.engine.files.csv.format import CsvFormat


class FileKind(StrEnum):
    CSV = "csv"
    CSV_GZIP = "csv.gz"
    EXCEL = "xlsx"
    PARQUET = "parquet"
    SPSS = "sav"
    STATA = "dta"
    SAS = "sas7bdat"
    SAS_TRANSPORT = "xpt"
    DATABASE = "database"  # no file: fetched from a database


KIND_WORDS = {
    FileKind.CSV: "CSV file",
    FileKind.CSV_GZIP: "CSV file, packed with gzip",
    FileKind.EXCEL: "Excel workbook",
    FileKind.PARQUET: "Parquet file",
    FileKind.SPSS: "SPSS file",
    FileKind.STATA: "Stata file",
    FileKind.SAS: "SAS data file",
    FileKind.SAS_TRANSPORT: "SAS transport file",
    FileKind.DATABASE: "table of a database",
}


@dataclass(frozen=True)
class WorkbookFormat:
    """Which sheet of a workbook is the table, and where in it the table begins."""

    sheet: str = ""
    first_row: int = 1  # as the spreadsheet numbers its rows
    has_header: bool = True
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "missing", tuple(self.missing))
        if self.first_row < 1:
            raise InvalidTable("A table begins in row 1 of its sheet or below.")


@dataclass(frozen=True)
class ParquetFormat:
    """A Parquet file says everything about itself."""


@dataclass(frozen=True)
class StatisticsFormat:
    """A file of a statistics package; `labels` shows the words behind the codes."""

    labels: bool = True
    encoding: str = ""  # empty: what the file says of itself


@dataclass(frozen=True)
class DatabaseFormat:
    """A table fetched from a database, which the portal itself wrote in one fixed format."""


Settings = CsvFormat | WorkbookFormat | ParquetFormat | StatisticsFormat | DatabaseFormat
SETTINGS: dict[FileKind, type[Settings]] = {
    FileKind.CSV: CsvFormat,
    FileKind.CSV_GZIP: CsvFormat,
    FileKind.EXCEL: WorkbookFormat,
    FileKind.PARQUET: ParquetFormat,
    FileKind.SPSS: StatisticsFormat,
    FileKind.STATA: StatisticsFormat,
    FileKind.SAS: StatisticsFormat,
    FileKind.SAS_TRANSPORT: StatisticsFormat,
    FileKind.DATABASE: DatabaseFormat,
}


@dataclass(frozen=True)
class FileFormat:
    """Everything needed to read a file the same way again; `types` are by place of the column."""

    kind: FileKind
    settings: Settings
    types: Mapping[int, TypeChoice] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "types", MappingProxyType(dict(self.types)))

    def to_document(self) -> dict[str, Any]:
        settings = {part.name: getattr(self.settings, part.name) for part in fields(self.settings)}
        for name, value in settings.items():
            settings[name] = list(value) if isinstance(value, tuple) else value
        types = {str(place): choice.value for place, choice in sorted(self.types.items())}
        return {"kind": self.kind.value, **settings, **({"types": types} if types else {})}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "FileFormat":
        """Read a stored format; one without a kind is of an earlier version and means CSV."""
        rest = dict(document)
        try:
            kind = FileKind(rest.pop("kind", FileKind.CSV))
            types = {int(place): TypeChoice(t) for place, t in rest.pop("types", {}).items()}
            return cls(kind, SETTINGS[kind](**rest), types)
        except (TypeError, ValueError, AttributeError):
            raise InvalidTable("This is not a description of how a file is read.") from None
