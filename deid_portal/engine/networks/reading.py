"""Files into networks: lists of links, adjacency matrices, GraphML, and the table of nodes.

Row numbers in messages count the rows below comments, the column names being row 1. No message
holds an id or any other cell.
"""

import hashlib
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.csv_format import CsvFormat, check_is_text_table, detect_csv, sample_rows
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.networks.graphml import read_graphml
from deid_portal.engine.networks.joining import join_table, number_ids
from deid_portal.engine.networks.network import Intake, Network
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.reading import read_csv
from deid_portal.engine.table import Column, Table
from deid_portal.engine.values import is_number

SAMPLE_BYTES = 1 << 16
SAMPLE_ROWS = 200
LARGEST_FILE = 4 << 30
COMMENT = re.compile(rb"^[ \t]*[#%][^\r\n]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
BLANKS = re.compile(rb"[ \t]+")
EDGE_OF_BLANKS = re.compile(rb"^[ \t]+|[ \t]+(?=\r?$)", re.MULTILINE)
FIRST_NAMES = {
    "source", "from", "src", "start", "fromnodeid", "from_id", "from id", "source_id", "sender",
    "follower", "node1", "node_1", "node 1", "id1", "id_1", "person1", "person_1", "person 1",
    "ego", "tail",
}  # fmt: skip


class NetworkKind(StrEnum):
    """How a file says who is linked with whom."""

    EDGES = "edges"
    ADJACENCY = "adjacency"
    GRAPHML = "graphml"


@dataclass(frozen=True)
class NetworkFormat:
    """Everything needed to read one file."""

    kind: NetworkKind
    csv: CsvFormat = field(default_factory=CsvFormat)
    by_blanks: bool = False  # any number of blanks and tabs stands between two ids
    first_column_names: bool = False  # of an adjacency matrix: ids stand in front of every row

    def to_document(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "csv": self.csv.to_document(),
            "by_blanks": self.by_blanks,
            "first_column_names": self.first_column_names,
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "NetworkFormat":
        return cls(
            NetworkKind(document["kind"]),
            CsvFormat.from_document(document["csv"]),
            bool(document["by_blanks"]),
            bool(document["first_column_names"]),
        )


def detect_network(source: BinaryIO | Path) -> NetworkFormat:
    """Look at the beginning of a file and say how it names links; raises InvalidTable."""
    start = _start_of(source)
    if not start.strip():
        raise InvalidTable("The file is empty. Choose a file with one link per line.")
    if re.match(rb"(\xef\xbb\xbf)?\s*<", start):
        return NetworkFormat(NetworkKind.GRAPHML)
    check_is_text_table(start)
    text = COMMENT.sub(b"", start)
    if not text.strip():
        raise InvalidTable("The file holds comments only. Choose a file with one link per line.")
    by_blanks = _is_by_blanks(text)
    if by_blanks:
        return NetworkFormat(NetworkKind.EDGES, _named(text, CsvFormat(" "), True), True)
    form = replace(detect_csv(text, len(text)).format, missing=())
    rows = _rows_of(text, form)
    named = _matrix_names_rows(rows)
    if named is not None:
        has_header = not all(_is_weight(cell) for cell in rows[0][1 if named else 0 :]) or named
        return NetworkFormat(
            NetworkKind.ADJACENCY, replace(form, has_header=has_header), False, named
        )
    return NetworkFormat(NetworkKind.EDGES, _named(text, form, False))


def read_network(
    source: BinaryIO | Path,
    form: NetworkFormat | None = None,
    *,
    directed: bool = False,
    nodes: Table | None = None,
    id_column: str | None = None,
    progress: ProgressCallback | None = None,
) -> Network:
    """Read a network; `nodes` is a table with one row per node, joined by its id column.

    Without a format it is detected. GraphML says itself whether links have directions, and brings
    its own node table; one that is given counts instead.
    """
    form = form or detect_network(source)
    content = _content_of(source)
    sha256 = hashlib.sha256(content).hexdigest()
    if form.kind is NetworkKind.GRAPHML:
        network = read_graphml(content, progress)
    elif form.kind is NetworkKind.ADJACENCY:
        network = _read_adjacency(content, form, directed, progress)
    else:
        network = _read_edges(content, form, directed, progress)
    network = replace(network, source_sha256=sha256)
    if nodes is not None:
        network = join_table(network, nodes, id_column)
    if not network.nodes:
        raise InvalidTable(
            "Every link in the file is from a node to itself, so there is no network; give links "
            "between different nodes or a node table."
        )
    return network


def _read_edges(
    content: bytes, form: NetworkFormat, directed: bool, progress: ProgressCallback | None
) -> Network:
    text = COMMENT.sub(b"", content)
    if form.by_blanks:
        text = BLANKS.sub(b" ", EDGE_OF_BLANKS.sub(b"", text))
    table = read_csv(io.BytesIO(text), form.csv, progress, is_hashed=False)
    if len(table.columns) < 2:
        raise InvalidTable(
            "Row 1 has one cell where two ids are expected; choose the delimiter between them."
        )
    first, second = table.columns[:2]
    for column in (first, second):
        if column.missing:
            row = int(np.flatnonzero(column.codes == column.gap)[0]) + 1 + form.csv.has_header
            raise InvalidTable(f"Row {row} names only one node; two are needed for a link.")
    labels, pairs = number_ids(first, second)
    used = np.zeros(len(labels), np.bool_)
    used[pairs[pairs[:, 0] != pairs[:, 1]].reshape(-1)] = True
    only_loops = len(labels) - int(used.sum())
    intake = Intake(only_loops=only_loops, extra_columns=len(table.columns) - 2)
    network = Network.from_pairs(
        len(labels), pairs, directed=directed, labels=labels, intake=intake
    )
    return _without(network, used) if only_loops else network


def _without(network: Network, used: NDArray[np.bool_]) -> Network:
    """Leave out nodes that only a loop names; a node table may bring them back."""
    place = np.cumsum(used) - 1
    labels = tuple(np.array(network.labels, dtype=object)[used])
    intake = network.intake
    kept = Network.from_pairs(
        len(labels), place[network.pairs], directed=network.directed, labels=labels
    )
    return replace(kept, intake=replace(intake, isolated=kept.intake.isolated))


def _read_adjacency(
    content: bytes, form: NetworkFormat, directed: bool, progress: ProgressCallback | None
) -> Network:
    text = COMMENT.sub(b"", content)
    if text.startswith((form.csv.delimiter.encode(), b'""')):
        text = b"id" + text.removeprefix(b'""')  # the corner above the ids is usually empty
    table = read_csv(io.BytesIO(text), form.csv, progress, is_hashed=False)
    columns: Sequence[Column] = table.columns
    labels: tuple[str, ...] = tuple(column.name for column in columns)
    if form.first_column_names:
        labels, columns = tuple(str(cell) for cell in columns[0].cells()), columns[1:]
    if len(columns) != table.rows or len(labels) != table.rows:
        raise InvalidTable(
            f"The adjacency matrix has {table.rows} rows and {len(columns)} columns; as many of "
            f"both are needed."
        )
    links = np.column_stack([_weights(column) != 0 for column in columns])
    if not directed and not np.array_equal(links, links.T):
        raise InvalidTable(
            "The adjacency matrix is not symmetric, so its links have directions; say that they do."
        )
    if not directed:
        links = np.triu(links)
    pairs = np.argwhere(links)
    network = Network.from_pairs(table.rows, pairs, directed=directed, labels=labels)
    return replace(network, listed=np.ones(table.rows, np.bool_))


def _weights(column: Column) -> NDArray[np.float64]:
    """Return the numbers of a column of the matrix; a gap is no link."""
    if not all(text is None or _is_weight(text) for text in column.values):
        raise InvalidTable(f'Column "{column.name}" of the matrix holds something but numbers.')
    numbers = np.array([0.0 if text is None else float(text) for text in column.values])
    return np.asarray(numbers[column.codes])


def _is_weight(text: str) -> bool:
    return not text.strip() or is_number(text)


def _is_by_blanks(text: bytes) -> bool:
    """Say whether blanks or tabs are all that stands between ids."""
    lines = [line for line in text.splitlines()[:SAMPLE_ROWS] if line.strip()]
    if any(sign in line for line in lines for sign in (b",", b";", b"|", b'"')):
        return False
    widths = {len(line.split()) for line in lines}
    return len(widths) == 1 and 2 <= widths.pop() <= 4 and not _is_square(lines)


def _is_square(lines: list[bytes]) -> bool:
    return len(lines) > 1 and len(lines[0].split()) == len(lines) > 2


def _matrix_names_rows(rows: list[list[str]]) -> bool | None:
    """Say whether ids stand in front of the rows of a matrix; None if it is none."""
    width = len(rows[0]) if rows else 0
    if width < 3 or any(len(row) != width for row in rows):
        return None
    body = rows[1:]
    if len(rows) == width and all(_is_weight(c) for row in rows for c in row):
        return False
    if (
        body
        and all(_is_weight(cell) for row in body for cell in row[1:])
        and len(body) == width - 1
    ):
        return True
    if body and all(_is_weight(c) for row in body for c in row) and len(body) == width:
        return False
    return None


def _named(text: bytes, form: CsvFormat, by_blanks: bool) -> CsvFormat:
    """Return the format with the right word on whether the first row names the columns."""
    if by_blanks:
        text = BLANKS.sub(b" ", EDGE_OF_BLANKS.sub(b"", text))
    rows = [row for row in _rows_of(text, form) if len(row) > 1]
    if not rows:
        return replace(form, has_header=False)
    first, rest = rows[0][:2], [cell for row in rows[1:] for cell in row[:2]]
    says_names = first[0].strip().lower() in FIRST_NAMES and first[0] not in rest
    only_numbers = bool(rest) and all(is_number(cell) for cell in rest)
    is_header = says_names or (only_numbers and not any(is_number(cell) for cell in first))
    return replace(form, has_header=is_header)


def _rows_of(text: bytes, form: CsvFormat) -> list[list[str]]:
    decoded = text.decode(form.encoding, "replace")
    return sample_rows(decoded, form.delimiter, len(text) >= SAMPLE_BYTES, form.quote)


def _start_of(source: BinaryIO | Path) -> bytes:
    with _opened(source) as stream:
        return stream.read(SAMPLE_BYTES)


def _content_of(source: BinaryIO | Path) -> bytes:
    with _opened(source) as stream:
        content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise InvalidTable("The file is larger than 4 GB; links of one network must fit in that.")
    return content


class _opened:  # noqa: N801 - read as a verb
    """Open a path, or go to the beginning of a stream, which stays open."""

    def __init__(self, source: BinaryIO | Path) -> None:
        self._source = source
        self._file: BinaryIO | None = None

    def __enter__(self) -> BinaryIO:
        if not isinstance(self._source, Path):
            self._source.seek(0)
            return self._source
        try:
            self._file = self._source.open("rb")
        except OSError:
            raise InvalidTable(f'There is no readable file "{self._source.name}".') from None
        return self._file

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()
