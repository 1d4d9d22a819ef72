"""All rows of a CSV file that cannot be read, and why, so that they can be corrected together.

The fast reader stops at the first bad row. After that this slower one checks every row. Rows are
numbered as in every message: the column names are row 1, a line break inside quotes starts no new
row, and blank lines are not counted.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from deid_portal.engine.files.csv import kernels
from deid_portal.engine.files.csv.encoding import NOT_UTF_8, OPEN_QUOTE, ragged
from deid_portal.engine.files.csv.format import UTF_8, CsvFormat
from deid_portal.engine.files.csv.reader import LONG_CELL, LONGEST_CELL, NUL
from deid_portal.engine.progress import Progress, ProgressCallback

MOST_SHOWN = 100
WRONG_CHARACTER = "holds a character that does not exist in the chosen encoding."
ROWS_BETWEEN_REPORTS = 10_000


@dataclass(frozen=True)
class RowProblem:
    """A row that cannot be read: its number, and what is wrong in words without a cell."""

    row: int
    what: str


def find_row_problems(
    stream: BinaryIO,
    form: CsvFormat,
    *,
    most_rows: int = 0,
    progress: ProgressCallback | None = None,
) -> tuple[RowProblem, ...]:
    """Return the first hundred rows that cannot be read, of the whole file or its first rows."""
    steps = Progress(progress)
    found: list[RowProblem] = []
    for row, what in enumerate(_judged(stream, form), start=1):
        if what:
            found.append(RowProblem(row, what))
        if len(found) == MOST_SHOWN or row == most_rows:
            break
        if row % ROWS_BETWEEN_REPORTS == 0:
            steps.report(row, 0, "problems")
    return tuple(found)


def _judged(stream: BinaryIO, form: CsvFormat) -> Iterator[str]:
    """Yield what is wrong with each record; one whose quotes never close is the last."""
    encoding = "utf-8-sig" if form.encoding.lower() in UTF_8 else form.encoding
    text = io.TextIOWrapper(stream, encoding, errors="surrogateescape", newline="")
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=form.delimiter, quotechar=form.quote)
    width = 0
    try:
        for record in reader:
            width = width or len(record)
            if not record and width > 1:
                continue  # a blank line; in a single column it is a missing value
            yield _what_is_wrong(record, width, form, lines.taken())
    except csv.Error:  # a cell longer than the module takes
        yield OPEN_QUOTE if _is_open(lines.taken(), form) else LONG_CELL
    except UnicodeError:
        yield WRONG_CHARACTER
    finally:
        text.detach()


class _Lines:
    """Hands out the lines of a file and remembers those of the record that is being read."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._given: list[str] = []

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self._given.append(line)
            yield line

    def taken(self) -> list[str]:
        given, self._given = self._given, []
        return given


def _what_is_wrong(record: list[str], width: int, form: CsvFormat, lines: list[str]) -> str:
    # Only a record of several lines, or the last one, can end inside a quote; both are rare.
    is_doubtful = len(lines) > 1 or not lines[-1].endswith(("\n", "\r"))
    if is_doubtful and _is_open(lines, form):
        return OPEN_QUOTE
    for cell in record:
        if len(cell) > LONGEST_CELL:
            return LONG_CELL
        if "\0" in cell:
            return NUL
        if not cell.isascii() and any("\udc80" <= sign <= "\udcff" for sign in cell):
            return NOT_UTF_8 if form.encoding.lower() in UTF_8 else WRONG_CHARACTER
    return ragged(len(record), width) if max(len(record), 1) != width else ""


def _is_open(lines: list[str], form: CsvFormat) -> bool:
    """Say whether a quote is still open at the end of these lines."""
    content = np.frombuffer("".join(lines).encode("utf-8", "surrogateescape"), np.uint8)
    return kernels.scan_records(content, ord(form.delimiter), ord(form.quote), False)[2]
