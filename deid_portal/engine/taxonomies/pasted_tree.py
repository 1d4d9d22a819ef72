"""A tree pasted from a spreadsheet: one row per value, the value first, coarser to the right."""

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.files import encode_rows, parse_rows, split_rows
from deid_portal.engine.taxonomies.outline import Outline
from deid_portal.engine.taxonomies.taxonomy import ROOT_LABEL


def looks_like_columns(text: str) -> bool:
    """Say whether pasted text has cells side by side; an indented tree has tabs in front only."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return bool(lines) and all("\t" in line or ";" in line for line in lines)


def parse_pasted(text: str, column: Column) -> Outline:
    """Read cells side by side. An empty cell repeats the one at its left; a root is added."""
    delimiter = "\t" if "\t" in text else ";"
    stripped = [[cell.strip() for cell in row] for row in split_rows(text, delimiter)]
    cells = [row for row in stripped if any(row)]
    width = max((len(row) for row in cells), default=0)
    if width < 2:
        raise InvalidPlan("Paste at least two columns: the value, and its group beside it.")
    filled = [_fill(row + [""] * (width - len(row))) for row in cells]
    if len({row[-1] for row in filled}) > 1:
        filled = [[*row, ROOT_LABEL] for row in filled]
    rows = parse_rows(encode_rows(filled))
    covered = {row[0]: row[1:] for row in rows if row[0]}
    return Outline.from_covered(covered, column)


def _fill(row: list[str]) -> list[str]:
    for index in range(1, len(row)):
        row[index] = row[index] or row[index - 1]
    return row
