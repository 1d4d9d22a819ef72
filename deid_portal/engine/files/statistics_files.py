"""Files of SPSS, Stata and SAS: numbers with words behind them (value labels)."""

import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.cells import CellEncoder, check_column_count, check_names
from deid_portal.engine.files.csv.reader import check_row_count
from deid_portal.engine.files.file_format import KIND_WORDS, FileKind, Settings, StatisticsFormat
from deid_portal.engine.files.library_errors import told_in_a_sentence
from deid_portal.engine.files.limits import ReadingLimits
from deid_portal.engine.files.sample import SAMPLE_ROWS, GuessedSettings, Sample
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.cell_text import without_midnight, write_cell
from deid_portal.engine.table.table import Table
from deid_portal.engine.table.values import is_number

ROWS_PER_READ = 100_000
NO_ROWS = "The file has columns but no rows."
READERS = {
    FileKind.SPSS: "read_sav",
    FileKind.STATA: "read_dta",
    FileKind.SAS: "read_sas7bdat",
    FileKind.SAS_TRANSPORT: "read_xport",
}
Labels = Mapping[Any, str]


@dataclass(frozen=True)
class StatisticsFiles:
    kind: FileKind

    def detect(self, stream: BinaryIO, limits: ReadingLimits, sheet: str = "") -> GuessedSettings:
        _, about = self._call(stream, StatisticsFormat(), metadataonly=True)
        labelled = sum(1 for labels in about.variable_value_labels.values() if labels)
        seen = {0: "no column has labels", 1: "1 column has labels"}
        evidence = {
            "labels": seen.get(labelled, f"{labelled} columns have labels"),
            "encoding": f"the file says {about.file_encoding}" if about.file_encoding else "",
        }
        return GuessedSettings(StatisticsFormat(), evidence)

    def read_sample(self, stream: BinaryIO, settings: Settings, limits: ReadingLimits) -> Sample:
        form = cast(StatisticsFormat, settings)
        columns, about = self._call(stream, form, row_limit=SAMPLE_ROWS)
        encoders = [CellEncoder() for _ in about.column_names]
        _encode_rows(encoders, columns, about, form)
        return Sample(_build(encoders, about), self._notes())

    def read(
        self,
        stream: BinaryIO,
        settings: Settings,
        limits: ReadingLimits,
        progress: ProgressCallback | None,
    ) -> Table:
        form = cast(StatisticsFormat, settings)
        steps = Progress(progress)
        encoders: list[CellEncoder] = []
        rows = 0
        while True:
            columns, about = self._call(stream, form, row_offset=rows, row_limit=ROWS_PER_READ)
            encoders = encoders or [CellEncoder() for _ in about.column_names]
            found = _encode_rows(encoders, columns, about, form)
            rows += found
            steps.report(rows, about.number_rows or 0, "read", rows=rows)
            if found < ROWS_PER_READ:
                return _build(encoders, about)

    def _call(self, stream: BinaryIO, form: StatisticsFormat, **limits: Any) -> tuple[Any, Any]:
        import pyreadstat

        stream.seek(0)
        # Its warnings quote column names, which in a damaged file may be cells.
        warnings.filterwarnings("ignore", module="pyreadstat")
        reader: Callable[..., tuple[Any, Any]] = getattr(pyreadstat, READERS[self.kind])
        with told_in_a_sentence(
            f"The {KIND_WORDS[self.kind]} is damaged, was cut short or is in another encoding; "
            f"choose one, or save it again and upload it once more."
        ):
            columns, about = reader(
                stream, output_format="dict", encoding=form.encoding or None, **limits
            )
        check_column_count(len(about.column_names))
        # A damaged file may have columns without any name.
        check_names([name or "" for name in about.column_names])
        check_row_count(about.number_rows or 0)
        return columns, about

    def _notes(self) -> tuple[str, ...]:
        if self.kind in (FileKind.SAS, FileKind.SAS_TRANSPORT):
            return ("SAS keeps the labels of values in a file of their own, so codes are shown.",)
        return ()


def _encode_rows(
    encoders: list[CellEncoder], columns: Mapping[str, Any], about: Any, form: StatisticsFormat
) -> int:
    """Add the rows of one reading to the columns; returns how many there were."""
    rows = 0
    for encoder, name in zip(encoders, about.column_names, strict=True):
        cells = np.asarray(columns[name])
        labels = about.variable_value_labels.get(name) if form.labels else None
        texts, codes = _number(cells)
        encoder.extend(_write_all(texts, labels or {}), codes)
        rows = len(codes)
    return rows


def _number(cells: NDArray[Any]) -> tuple[list[Any], NDArray[np.int32]]:
    """Return the distinct values of a column and the number of its value per row."""
    if cells.dtype != object:
        values, codes = np.unique(cells, return_inverse=True)
        return values.tolist(), codes.astype(np.int32)
    known: dict[Any, int] = {}
    # A gap among texts is given as NaN, which does not equal itself.
    numbers = [known.setdefault(v if v == v else None, len(known)) for v in cells.tolist()]
    return list(known), np.array(numbers, np.int32)


def _write_all(values: list[Any], labels: Labels) -> list[str | None]:
    repeated = {word for word, times in Counter(labels.values()).items() if times > 1}
    return [_write(value, labels, repeated) for value in values]


def _write(value: Any, labels: Labels, repeated: set[str]) -> str | None:
    """Return the label of a code, followed by the code if the label could be another's."""
    text = write_cell(value)
    word = labels.get(value) if text is not None else None
    if word is None or not word.strip() or word == text:
        return text
    return f"{word} ({text})" if word in repeated or is_number(word) else word


def _build(encoders: list[CellEncoder], about: Any) -> Table:
    if not len(encoders[0]):
        raise InvalidTable(NO_ROWS)
    pairs = zip(encoders, about.column_names, strict=True)
    return Table(tuple(without_midnight(encoder.build(name)) for encoder, name in pairs))
