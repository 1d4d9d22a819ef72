"""Taxonomy files in the ARX form: no header, `;` between cells, the value first, the root last."""

import csv
import hashlib
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn

from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies.recipe import ReadFile, Recipe
from deid_portal.engine.taxonomies.taxonomy import Taxonomy

Row = tuple[str, ...]


@dataclass(frozen=True)
class FileTaxonomy(Recipe):
    """The rows of a taxonomy file.

    The plan names the file and its hash, so a plan's own hash changes when the file does. A row
    whose first cell is empty gives the gap its place; where further cells of it are empty, it is
    still a gap.
    """

    name: str
    rows: tuple[Row, ...] = field(repr=False)
    sha256: str = ""

    kind: ClassVar[str] = "file"

    @classmethod
    def parse(cls, place: Place, read_file: ReadFile | None) -> "FileTaxonomy":
        place.check_keys(required=("file",), optional=("sha256",))
        name = place["file"].text()
        content = _read(place["file"], name, read_file)
        digest = hashlib.sha256(content).hexdigest()
        if "sha256" in place and place["sha256"].text() != digest:
            place["sha256"].refuse("the file has changed since this plan was written.")
        try:
            return cls.from_content(name, content)
        except InvalidPlan as error:
            place["file"].refuse(str(error))

    @classmethod
    def from_content(cls, name: str, content: bytes) -> "FileTaxonomy":
        """Read a file's content; raises InvalidPlan when it is no taxonomy."""
        return cls(name, parse_rows(content), hashlib.sha256(content).hexdigest())

    def to_document(self) -> dict[str, Any]:
        return {"file": self.name, "sha256": self.sha256}

    def paths(self, column: Column) -> dict[str, tuple[str, ...]]:
        return {row[0]: row[1:] for row in self.rows if row[0]}

    def gap_path(self, levels: int, root: str) -> tuple[str | None, ...]:
        mentioned = [row[1:] for row in self.rows if not row[0]]
        if not mentioned:
            return super().gap_path(levels, root)
        return tuple(label or None for label in mentioned[0])


def parse_rows(content: bytes) -> tuple[Row, ...]:
    """Read and check a taxonomy file; errors name row numbers, never values."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidPlan("the file is not UTF-8; save it in that encoding.") from None
    if "\0" in text:
        raise InvalidPlan("the file holds NUL characters, so it is not a taxonomy in CSV form.")
    rows = _split(text)
    _check_shape(rows)
    _check_values(rows)
    _check_nesting(rows)
    return tuple(rows.values())


def write_rows(taxonomy: Taxonomy) -> bytes:
    """Return the taxonomy as a file in the ARX form, a gap as an empty cell."""
    levels = range(taxonomy.height + 1)
    return encode_rows(
        [taxonomy.labels[level][taxonomy.codes[level, leaf]] or "" for level in levels]
        for leaf in range(taxonomy.leaf_count)
    )


def write_paths(paths: Iterable[Sequence[str | None]]) -> bytes:
    """Return one path per value as a file in the ARX form, a gap as an empty cell."""
    return encode_rows([label or "" for label in path] for path in paths)


def encode_rows(rows: Iterable[Sequence[str]]) -> bytes:
    """Return rows of labels as a file in the ARX form.

    Rows of one cell are quoted: without a semicolon in it, a comma would be taken for one.
    """
    labels = [list(row) for row in rows]
    is_quoted = any(len(row) == 1 for row in labels)
    stream = io.StringIO(newline="")
    csv.writer(
        stream,
        delimiter=";",
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if is_quoted else csv.QUOTE_MINIMAL,
    ).writerows(labels)
    return stream.getvalue().encode()


def _read(place: Place, name: str, read_file: ReadFile | None) -> bytes:
    if read_file is None:
        place.refuse("files cannot be read here; give the taxonomy as a tree, intervals or a mask.")
    try:
        return read_file(name)
    except (OSError, KeyError):
        place.refuse(f'there is no readable file "{name}" beside the plan.')


def _split(text: str) -> dict[int, Row]:
    """Return the rows by number, blank lines left out but counted."""
    first = text.split("\n", 1)[0]
    delimiter = ";" if ";" in first or "," not in first else ","
    records = split_rows(text, delimiter)
    return {number: tuple(cells) for number, cells in enumerate(records, start=1) if cells}


def split_rows(text: str, delimiter: str) -> list[list[str]]:
    """Return the cells of every row; raises InvalidPlan where a cell has no end or is too long."""
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:
        raise InvalidPlan(
            "the rows cannot be told apart; a quote is open or a cell is far too long."
        ) from None


def _check_shape(rows: dict[int, Row]) -> None:
    if not rows:
        raise InvalidPlan("the file is empty; one row per value is needed.")
    expected = len(next(iter(rows.values())))
    for number, row in rows.items():
        if len(row) != expected:
            _refuse(f"row {number} has {len(row)} cells where {expected} are expected.")
        if "" in (row[1:] if row[0] else row[-1:]):
            _refuse(f"row {number} has an empty cell above its value.")


def _check_values(rows: dict[int, Row]) -> None:
    seen: dict[str, int] = {}
    for number, row in rows.items():
        earlier = seen.setdefault(row[0], number)
        if earlier != number:
            _refuse(f"rows {earlier} and {number} are about the same value; keep one.")
    roots = {row[-1] for row in rows.values()}
    if len(next(iter(rows.values()))) > 1 and len(roots) > 1:
        _refuse(f"the last cell must be one root for all rows, found {len(roots)} different ones.")


def _check_nesting(rows: dict[int, Row]) -> None:
    """Refuse a label that lies under two different labels of the next level."""
    height = len(next(iter(rows.values())))
    for level in range(1, height - 1):
        parents: dict[str, tuple[str, int]] = {}
        for number, row in rows.items():
            parent, earlier = parents.setdefault(row[level], (row[level + 1], number))
            if parent != row[level + 1]:
                _refuse(
                    f"rows {earlier} and {number} have the same label at level {level} but "
                    f"different ones at level {level + 1}; a label needs one place."
                )


def _refuse(sentence: str) -> NoReturn:
    raise InvalidPlan(sentence)
