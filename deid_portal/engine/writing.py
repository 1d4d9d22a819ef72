"""Tables into files: CSV for people, Arrow for the portal's own storage."""

import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

import numpy as np

from deid_portal.engine import csv_kernels
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.packed_column import PackedColumn
from deid_portal.engine.table import Column, Table
from deid_portal.engine.values import ColumnType, infer_type, is_number

ROWS_PER_BATCH = 1 << 18
# A spreadsheet runs a cell that begins with one of these as a formula (OWASP, CSV injection): also
# their wide forms, which some read as the narrow ones, and behind blanks, which some cut off.
FORMULA = re.compile(r"[\t\r\n]|[\s\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]")
ARROW_VERSION = "1"


def write_csv(table: Table, stream: BinaryIO, delimiter: str = ",") -> None:
    """Write UTF-8 with a header and LF line ends; a gap is an empty cell.

    A cell a spreadsheet would run as a formula gets an apostrophe in front, unless it is a plain
    number. In a table of one column a gap is written as quotes, since a blank line is no record.
    """
    header = delimiter.join(_escape(name, delimiter) for name in table.names)
    stream.write(f"{header}\n".encode())
    gap = '""' if len(table.columns) == 1 else ""
    endings = [delimiter] * (len(table.columns) - 1) + ["\n"]
    written = [
        [
            gap + ending if t is None else _escape(t, delimiter, column.decimal) + ending
            for t in column.values
        ]
        for column, ending in zip(table.columns, endings, strict=True)
    ]
    for block in join_rows(table, written):
        stream.write(block)


def join_rows(table: Table, written: Sequence[Sequence[str]]) -> Iterator[bytes]:
    """Give the rows as UTF-8, in blocks; `written` has, per column, the text of every code."""
    texts = [text.encode() for column in written for text in column]
    offsets = np.cumsum([0, *(len(text) for text in texts)], dtype=np.int64)
    entries = np.cumsum([0, *(len(column) for column in written)], dtype=np.int64)
    joined = np.frombuffer(bytearray().join(texts), np.uint8)
    for chunk in _chunks(table.rows):
        cells = np.array([column.codes[chunk] for column in table.columns], np.int32)
        yield csv_kernels.join_cells(cells, entries[:-1], offsets, joined).tobytes()


def write_arrow(table: Table, stream: BinaryIO) -> None:
    """Write the table as it is: codes, dictionaries, types, source hash."""
    import pyarrow as pa  # here, since writing CSV does without it
    import pyarrow.ipc

    from deid_portal.engine.arrow_arrays import codes_to_arrow, texts_to_arrow

    dictionaries = [texts_to_arrow(column.texts) for column in table.columns]
    fields = [
        pa.field(
            column.name,
            pa.dictionary(pa.from_numpy_dtype(column.packed.dtype), dictionary.type),
            metadata={"type": column.type.value, "decimal": column.decimal},
        )
        for column, dictionary in zip(table.columns, dictionaries, strict=True)
    ]
    about = json.dumps({"version": ARROW_VERSION, "source_sha256": table.source_sha256})
    schema = pa.schema(fields, metadata={"deid_portal.table": about})
    # Half as large again as with zstd, and twice as fast both ways: pages open these columns.
    # In this thread: whoever has several columns to write has a thread for each.
    options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
    with pa.ipc.new_stream(stream, schema, options=options) as writer:
        for chunk in _chunks(max(table.rows, 1)):
            arrays = [
                pa.DictionaryArray.from_arrays(codes_to_arrow(column.packed[chunk]), dictionary)
                for column, dictionary in zip(table.columns, dictionaries, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def read_arrow(stream: BinaryIO) -> Table:
    """Read back what `write_arrow` wrote."""
    import pyarrow as pa
    import pyarrow.ipc

    from deid_portal.engine.arrow_arrays import codes_from_arrow, texts_from_arrow

    try:
        with pa.ipc.open_stream(stream) as reader:
            schema, batches = reader.schema, list(reader)
        about = json.loads((schema.metadata or {})[b"deid_portal.table"])
    except (pa.ArrowInvalid, OSError, KeyError, ValueError):
        raise InvalidTable("The stored table cannot be read back; upload the file again.") from None
    columns = []
    for index, field in enumerate(schema):
        arrays = [batch.column(index) for batch in batches]
        codes = np.concatenate([codes_from_arrow(array.indices) for array in arrays])
        columns.append(
            PackedColumn(
                field.name,
                ColumnType(field.metadata[b"type"].decode()),
                codes,
                texts_from_arrow(arrays[0].dictionary),
                field.metadata[b"decimal"].decode(),
            )
        )
    return Table(tuple(columns), about["source_sha256"])


def neutralize(text: str, decimal: str = ".") -> str:
    """Return the text so that no spreadsheet runs it."""
    if FORMULA.match(text) and not is_number(text, decimal):
        return f"'{text}"
    return text


def undo_neutralizing(table: Table) -> Table:
    """Return the table that was written, once its CSV was read: without apostrophes we put there.

    A column that holds a text both with and without one stays as it is.
    """
    return replace(table, columns=tuple(_undo(column) for column in table.columns))


def _undo(column: Column) -> Column:
    values = tuple(None if text is None else _bare(text, column.decimal) for text in column.values)
    if values == column.values or len(set(values)) < len(values):
        return column
    return Column(
        column.name, infer_type(values, column.decimal), column.codes, values, column.decimal
    )


def _bare(text: str, decimal: str) -> str:
    return text[1:] if text[:1] == "'" and neutralize(text[1:], decimal) == text else text


def _escape(text: str, delimiter: str, decimal: str = ".") -> str:
    text = neutralize(text, decimal)
    if not text or any(sign in text for sign in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _chunks(rows: int) -> Iterator[slice]:
    return (slice(start, start + ROWS_PER_BATCH) for start in range(0, rows, ROWS_PER_BATCH))


def csv_bytes(table: Table, delimiter: str = ",") -> bytes:
    """Return the CSV of a table that fits in memory."""
    stream = io.BytesIO()
    write_csv(table, stream, delimiter)
    return stream.getvalue()
