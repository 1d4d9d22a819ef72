"""Files that SAS itself has written; see tests/data/README.md."""

import csv
import math
from pathlib import Path

import pytest

from deid_portal.engine.files.file_format import FileKind
from deid_portal.engine.files.table_reader import detect_file, preview_file, read_table
from tests.engine.tables import DATA


@pytest.mark.parametrize(
    ("name", "kind"),
    [("airline.sas7bdat", FileKind.SAS), ("paxraw_d_short.xpt", FileKind.SAS_TRANSPORT)],
)
def test_every_value_is_read(name: str, kind: FileKind) -> None:
    path = DATA / "sas" / name
    form = detect_file(path).format
    assert form.kind == kind
    assert preview_file(path, form).rows
    table = read_table(path, form)
    names, *rows = _csv(path.with_suffix(".csv"))
    assert list(table.names) == names
    assert table.rows == len(rows)
    for own, row in zip(table.head(table.rows), rows, strict=True):
        for cell, wanted in zip(own, row, strict=True):
            assert cell is not None
            assert math.isclose(float(cell), float(wanted), rel_tol=1e-6)


def _csv(path: Path) -> list[list[str]]:
    with path.open() as file:
        return list(csv.reader(file))
