"""Read a released table from any of the supported file formats."""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import BinaryIO

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.format import CsvFormat
from deid_portal.engine.files.csv.reader import read_csv
from deid_portal.engine.files.csv.writer import COMMA, undo_neutralizing
from deid_portal.engine.files.file_format import (
    FileFormat,
    FileKind,
    ParquetFormat,
    Settings,
    StatisticsFormat,
)
from deid_portal.engine.files.own_workbook import read_own_workbook
from deid_portal.engine.files.table_reader import read_table
from deid_portal.engine.files.writer import plain_names
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType, infer_type

RELEASE = "release"
SETTINGS: dict[FileKind, Settings] = {
    FileKind.PARQUET: ParquetFormat(),
    FileKind.SPSS: StatisticsFormat(),
}
KINDS = (FileKind.CSV, FileKind.EXCEL, *SETTINGS)


def read_release(
    source: BinaryIO | bytes,
    kind: FileKind,
    names: Sequence[str] = (),
    progress: ProgressCallback | None = None,
    *,
    is_raw: bool = False,
    delimiter: str = COMMA,
) -> Table:
    """Read a released table; `names` maps names that SPSS cannot store to column names.

    Raw: keep the apostrophes before cells of a CSV file that spreadsheets would run as formulas.
    """
    stream = io.BytesIO(source) if isinstance(source, bytes) else source
    if kind == FileKind.CSV:
        table = read_csv(stream, CsvFormat(delimiter=delimiter), progress)
        return table if is_raw else _with_comma_numbers(undo_neutralizing(table))
    if kind == FileKind.EXCEL:
        return read_own_workbook(stream, progress)
    if kind not in SETTINGS:
        raise InvalidTable("The table is in a format that packages do not have.")
    table = read_table(stream, FileFormat(kind, SETTINGS[kind]), progress)
    if kind == FileKind.SPSS and list(table.names) == plain_names(names):
        renamed = zip(names, table.columns, strict=True)
        return Table(tuple(replace(column, name=name) for name, column in renamed))
    return table


def _with_comma_numbers(table: Table) -> Table:
    """Detect number columns with a decimal comma, which a CSV file does not declare."""
    return replace(table, columns=tuple(_with_comma(column) for column in table.columns))


def _with_comma(column: Column) -> Column:
    if column.type != ColumnType.TEXT or infer_type(column.values, ",") != ColumnType.NUMBER:
        return column
    return Column(column.name, ColumnType.NUMBER, column.codes, column.values, ",")
