"""Tables written as files of every kind, by the libraries people use for it."""

import gzip
import io
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pyreadstat

Cells = Sequence[Sequence[Any]]
TEXT = "@"


def xlsx(names: Sequence[str], rows: Cells, *, sheet: str = "Table") -> bytes:
    book = openpyxl.Workbook()
    page = book.active
    page.title = sheet
    page.append(list(names))
    for row in rows:
        page.append(list(row))
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet(names: Sequence[str], rows: Cells) -> bytes:
    columns = list(zip(*rows, strict=True))
    stream = io.BytesIO()
    pa.parquet.write_table(pa.table(dict(zip(names, map(list, columns), strict=True))), stream)
    return stream.getvalue()


def gzipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def sav(names: Sequence[str], rows: Cells, **about: Any) -> bytes:
    return _by_pyreadstat(pyreadstat.write_sav, "sav", names, rows, **about)


def dta(names: Sequence[str], rows: Cells, **about: Any) -> bytes:
    return _by_pyreadstat(pyreadstat.write_dta, "dta", names, rows, **about)


def xpt(names: Sequence[str], rows: Cells, **about: Any) -> bytes:
    return _by_pyreadstat(pyreadstat.write_xport, "xpt", names, rows, **about)


def _by_pyreadstat(
    write: Callable[..., None], ending: str, names: Sequence[str], rows: Cells, **about: Any
) -> bytes:
    frame = pd.DataFrame([list(row) for row in rows], columns=list(names))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{ending}"
        write(frame, str(path), **about)
        return path.read_bytes()
