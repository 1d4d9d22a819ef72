"""Parquet files: columns with types of their own, read a group of rows at a time."""

from collections.abc import Iterator
from typing import Any, BinaryIO

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.cells import CellEncoder, check_column_count, check_names
from deid_portal.engine.files.csv.reader import check_row_count
from deid_portal.engine.files.file_format import ParquetFormat, Settings
from deid_portal.engine.files.file_kind import DAMAGED_ARCHIVE
from deid_portal.engine.files.library_errors import told_in_a_sentence
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.sample import SAMPLE_ROWS, GuessedSettings, Sample
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.cell_text import without_midnight, write_cell
from deid_portal.engine.table.table import Table

ROWS_PER_BATCH = 1 << 16
NO_ROWS = "The file has columns but no rows."
OUTSIDE_THE_CALENDAR = (
    "holds a date or a time that no calendar has, such as one after the year 9999; mend it or "
    "leave the column out."
)


class ParquetFiles:
    def detect(self, stream: BinaryIO, limits: ReadingLimits, sheet: str = "") -> GuessedSettings:
        file = _open(stream)
        columns = len(file.schema_arrow.names)
        return GuessedSettings(
            ParquetFormat(), {"": f"{columns} columns, {file.metadata.num_rows} rows"}
        )

    def read_sample(self, stream: BinaryIO, settings: Settings, limits: ReadingLimits) -> Sample:
        return Sample(_read(_open(stream), None, SAMPLE_ROWS))

    def read(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        progress: ProgressCallback | None,
    ) -> Table:
        return _read(_open(stream), progress, None)


def _open(stream: BinaryIO) -> Any:
    import pyarrow as pa
    import pyarrow.parquet

    with told_in_a_sentence(DAMAGED_ARCHIVE):
        file = pa.parquet.ParquetFile(stream)
        names, types = file.schema_arrow.names, file.schema_arrow.types
    check_column_count(len(names))
    check_names(names)
    for number, kind in enumerate(types, start=1):
        if not _is_shown(kind):
            raise InvalidTable(
                f"Column {number} holds lists, records or bytes, which no table can show; "
                f"leave it out."
            )
    if not file.metadata.num_rows:
        raise InvalidTable(NO_ROWS)
    check_row_count(file.metadata.num_rows)
    return file


def _is_shown(kind: Any) -> bool:
    """Say whether values of this type have a text that people would write."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_shown(kind.value_type)
    plain = (
        pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_boolean,
        pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_date,
        pa.types.is_time, pa.types.is_timestamp, pa.types.is_duration, pa.types.is_null,
    )  # fmt: skip
    return any(is_of(kind) for is_of in plain)


def _read(file: Any, progress: ProgressCallback | None, most_rows: int | None) -> Table:
    names = file.schema_arrow.names
    encoders = [CellEncoder() for _ in names]
    steps = Progress(progress)
    rows, total = 0, file.metadata.num_rows
    wanted = total if most_rows is None else min(most_rows, total)
    batches = iter(file.iter_batches(min(ROWS_PER_BATCH, wanted), use_threads=False))
    while rows < wanted and (batch := _next(batches)) is not None:
        batch = batch.slice(0, wanted - rows)
        for number, (encoder, array) in enumerate(zip(encoders, batch.columns, strict=True), 1):
            _encode(encoder, array, number)
        rows += batch.num_rows
        steps.report(rows, total, "read", rows=rows)
    if rows < wanted:
        raise InvalidTable(DAMAGED_ARCHIVE)
    pairs = zip(encoders, names, strict=True)
    return Table(tuple(without_midnight(encoder.build(name)) for encoder, name in pairs))


def _next(batches: Iterator[Any]) -> Any:
    with told_in_a_sentence(DAMAGED_ARCHIVE):
        return next(batches, None)


def _encode(encoder: CellEncoder, array: Any, number: int) -> None:
    """Number the distinct values of a batch and write each of them once."""
    import pyarrow as pa

    with told_in_a_sentence(DAMAGED_ARCHIVE):
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        found = array.dictionary_encode(null_encoding="encode")
        codes = found.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    # Python's calendar is shorter than Arrow's.
    is_temporal = pa.types.is_temporal(array.type)
    with told_in_a_sentence(
        f"Column {number} {OUTSIDE_THE_CALENDAR}" if is_temporal else DAMAGED_ARCHIVE
    ):
        values = found.dictionary.to_pylist()
    encoder.extend([write_cell(value) for value in values], codes)
