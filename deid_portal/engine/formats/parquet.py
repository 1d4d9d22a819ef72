"""Parquet files: columns with types of their own, read a group of rows at a time."""

from typing import Any, BinaryIO

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.formats.cells import (
    CellEncoder,
    check_column_count,
    check_names,
    check_row_count,
)
from deid_portal.engine.formats.file_format import ParquetFormat, Settings
from deid_portal.engine.formats.recognizing import DAMAGED_ARCHIVE
from deid_portal.engine.formats.sample import SAMPLE_ROWS, Detected, Sample
from deid_portal.engine.formats.written_values import without_midnight, write_value
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table import Table

ROWS_PER_BATCH = 1 << 16
NO_ROWS = "The file has columns but no rows."


class ParquetFiles:
    def detect(self, stream: BinaryIO, sheet: str = "") -> Detected:
        file = _open(stream)
        columns = len(file.schema_arrow.names)
        return Detected(ParquetFormat(), {"": f"{columns} columns, {file.metadata.num_rows} rows"})

    def read_sample(self, stream: BinaryIO, settings: Settings) -> Sample:
        return Sample(_read(_open(stream), None, SAMPLE_ROWS))

    def read(
        self, stream: BinaryIO, settings: Settings, progress: ProgressCallback | None
    ) -> Table:
        return _read(_open(stream), progress, None)


def _open(stream: BinaryIO) -> Any:
    import pyarrow as pa
    import pyarrow.parquet

    try:
        file = pa.parquet.ParquetFile(stream)
    except (pa.ArrowException, OSError, ValueError):
        raise InvalidTable(DAMAGED_ARCHIVE) from None
    names = file.schema_arrow.names
    check_column_count(len(names))
    check_names(names)
    for number, kind in enumerate(file.schema_arrow.types, start=1):
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise InvalidTable(
                f"Column {number} holds lists, records or bytes, which no table can show; "
                f"leave it out."
            )
    if not file.metadata.num_rows:
        raise InvalidTable(NO_ROWS)
    check_row_count(file.metadata.num_rows)
    return file


def _read(file: Any, progress: ProgressCallback | None, most_rows: int | None) -> Table:
    import pyarrow as pa

    names = file.schema_arrow.names
    encoders = [CellEncoder() for _ in names]
    steps = Progress(progress)
    rows, total = 0, file.metadata.num_rows
    wanted = total if most_rows is None else min(most_rows, total)
    try:
        for batch in file.iter_batches(batch_size=min(ROWS_PER_BATCH, wanted)):
            batch = batch.slice(0, wanted - rows)
            for encoder, array in zip(encoders, batch.columns, strict=True):
                _encode(encoder, array)
            rows += batch.num_rows
            steps.report(rows, total, "read", rows=rows)
            if rows >= wanted:
                break
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise InvalidTable(DAMAGED_ARCHIVE) from None
    pairs = zip(encoders, names, strict=True)
    return Table(tuple(without_midnight(encoder.build(name)) for encoder, name in pairs))


def _encode(encoder: CellEncoder, array: Any) -> None:
    """Number the distinct values of a batch and write each of them once."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    found = array.dictionary_encode(null_encoding="encode")
    texts = [write_value(value) for value in found.dictionary.to_pylist()]
    encoder.extend(texts, found.indices.to_numpy(zero_copy_only=False).astype(np.int32))
