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

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.files.csv.format import (
    CsvFormat,
    check_is_text_table,
    detect_csv,
    split_sample_rows,
)
from deid_portal.engine.files.csv.reader import read_csv
from deid_portal.engine.networks.files.graphml import read_graphml
from deid_portal.engine.networks.files.link_header import Header, find_header
from deid_portal.engine.networks.files.link_table import link_nodes
from deid_portal.engine.networks.files.node_table import join_table
from deid_portal.engine.networks.network import Network
from deid_portal.engine.progress import ProgressCallback
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import is_number

SAMPLE_BYTES = 1 << 16
SAMPLE_ROWS = 200
LARGEST_FILE = 4 << 30
COMMENT = re.compile(rb"^[ \t]*[#%][^\r\n]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)
BLANKS = re.compile(rb"[ \t]+")
EDGE_OF_BLANKS = re.compile(rb"^[ \t]+|[ \t]+(?=\r?$)", re.MULTILINE)
WIDEST_LIST = 8  # cells per line; more, if all are numbers, mean a matrix
SHOWN_LINES = 6


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
    by_blanks: bool = False  # ids are separated by any number of blanks and tabs
    first_column_names: bool = False  # of an adjacency matrix: rows begin with ids
    header_is_guessed: bool = False  # not certain by the file, nor confirmed

    @property
    def has_header(self) -> bool:
        return self.csv.has_header

    def with_header(self, has_header: bool) -> "NetworkFormat":
        """Return the format with a confirmed header."""
        said = replace(self.csv, has_header=has_header)
        return replace(self, csv=said, header_is_guessed=False)

    def to_document(self) -> dict[str, Any]:
        return {
            "kind": self.kind.value,
            "csv": self.csv.to_document(),
            "by_blanks": self.by_blanks,
            "first_column_names": self.first_column_names,
            "header_is_guessed": self.header_is_guessed,
        }

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "NetworkFormat":
        return cls(
            NetworkKind(document["kind"]),
            CsvFormat.from_document(document["csv"]),
            bool(document["by_blanks"]),
            bool(document["first_column_names"]),
            bool(document.get("header_is_guessed", False)),  # not stored by earlier versions
        )


@dataclass(frozen=True)
class NetworkDetection:
    """A detected format, and the judgment of the first line, which GraphML does not need."""

    format: NetworkFormat
    header: Header | None = None


def detect_network(source: BinaryIO | Path) -> NetworkDetection:
    """Look at the beginning of a file and say how it names links; raises InvalidTable."""
    start = _start_of(source)
    if not start.strip():
        raise InvalidTable("The file is empty. Choose a file with one link per line.")
    if re.match(rb"(\xef\xbb\xbf)?\s*<", start):
        return NetworkDetection(NetworkFormat(NetworkKind.GRAPHML))
    check_is_text_table(start)
    text = COMMENT.sub(b"", start)
    if not text.strip():
        raise InvalidTable("The file holds comments only. Choose a file with one link per line.")
    is_cut = len(start) >= SAMPLE_BYTES
    if _is_by_blanks(text):
        form = NetworkFormat(NetworkKind.EDGES, CsvFormat(" "), by_blanks=True)
        return _with_found_header(form, _rows_of(_by_single_blanks(text), form.csv, is_cut))
    csv = replace(detect_csv(text, len(text) + is_cut).format, missing=())
    rows = _rows_of(text, csv, is_cut)
    matrix = _find_matrix(rows, is_cut)
    if matrix is None:
        return _with_found_header(NetworkFormat(NetworkKind.EDGES, csv), rows)
    form = NetworkFormat(
        NetworkKind.ADJACENCY,
        replace(csv, has_header=matrix.header.is_there),
        first_column_names=matrix.names_rows,
        header_is_guessed=not matrix.header.is_sure,
    )
    return NetworkDetection(form, matrix.header)


def preview_network(source: BinaryIO | Path, form: NetworkFormat) -> list[list[str]]:
    """Return the first lines of a file as they are cut into cells; none of GraphML."""
    if form.kind is NetworkKind.GRAPHML:
        return []
    start = _start_of(source)
    text = COMMENT.sub(b"", start)
    text = _by_single_blanks(text) if form.by_blanks else text
    return _rows_of(text, form.csv, len(start) >= SAMPLE_BYTES)[:SHOWN_LINES]


def _with_found_header(form: NetworkFormat, rows: list[list[str]]) -> NetworkDetection:
    header = find_header([row for row in rows if len(row) > 1])
    found = replace(form.csv, has_header=header.is_there)
    return NetworkDetection(replace(form, csv=found, header_is_guessed=not header.is_sure), header)


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

    Without a format it is detected. GraphML states whether links are directed and has its own node
    table, which a given one replaces.
    """
    form = form or detect_network(source).format
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
    text = _by_single_blanks(text) if form.by_blanks else text
    table = read_csv(io.BytesIO(text), form.csv, progress, is_hashed=False)
    if len(table.columns) < 2:
        raise InvalidTable(
            "Row 1 has one cell where two ids are expected; choose the delimiter between them."
        )
    return link_nodes(table, directed=directed, first_row=1 + form.csv.has_header)


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
    numbers = np.array([float((text or "").strip() or 0) for text in column.values])
    return np.asarray(numbers[column.codes])


def _is_weight(text: str) -> bool:
    return not text.strip() or is_number(text)


def _is_by_blanks(text: bytes) -> bool:
    """Say whether ids are separated by blanks or tabs only."""
    lines = [line for line in text.splitlines()[:SAMPLE_ROWS] if line.strip()]
    if any(sign in line for line in lines for sign in (b",", b";", b"|", b'"')):
        return False
    widths = {len(line.split()) for line in lines}
    return len(widths) == 1 and 2 <= widths.pop() <= 4 and not _is_square(lines)


def _is_square(lines: list[bytes]) -> bool:
    return len(lines) > 1 and len(lines[0].split()) == len(lines) > 2


@dataclass(frozen=True)
class Matrix:
    """How the first line and the first column of an adjacency matrix are read."""

    header: Header
    names_rows: bool


def _find_matrix(rows: list[list[str]], is_cut: bool) -> Matrix | None:
    """Say how an adjacency matrix is labelled; None if the rows are none.

    Its body is square, so the number of rows shows whether there are labels above and in front of
    it. If only the beginning is known, it is recognized by being wider than a list.
    """
    width = len(rows[0]) if rows else 0
    if width < 3 or any(len(row) != width for row in rows):
        return None
    if is_cut:
        return _find_wide_matrix(rows) if width > WIDEST_LIST else None
    height = len(rows)
    if height == width and _are_weights(rows):
        return Matrix(Header(False, "all lines are rows of the matrix"), False)
    if height == width and _are_weights([row[1:] for row in rows[1:]]):
        return Matrix(Header(True, "ids stand above and in front of the matrix"), True)
    if height == width + 1 and _are_weights(rows[1:]):
        words = "there is one line more than the matrix has columns"
        if not _are_weights(rows[:1]):
            return Matrix(Header(True, words), False)
        # Numbers only: lines of three ids or weights may look like this by chance.
        is_like_one = _is_symmetric(rows[1:]) and len(set(rows[0])) == width
        return Matrix(Header(True, words, is_sure=False), False) if is_like_one else None
    if height == width - 1 > 2 and _names_only_rows(rows):
        return Matrix(Header(False, "ids stand in front of every line"), True)
    return None


def _find_wide_matrix(rows: list[list[str]]) -> Matrix | None:
    if not _are_weights([row[1:] for row in rows[1:]]):
        return None
    names_rows = not _are_weights([row[:1] for row in rows[1:]])
    if _are_weights([rows[0][1:]]):
        return Matrix(Header(False, "its first line has numbers as the others do"), names_rows)
    return Matrix(Header(True, "words stand above numbers"), names_rows)


def _names_only_rows(rows: list[list[str]]) -> bool:
    names = [row[0] for row in rows]
    is_labelled = len(set(names)) == len(names) and not any(_is_weight(name) for name in names)
    return is_labelled and _are_weights([row[1:] for row in rows])


def _are_weights(rows: list[list[str]]) -> bool:
    return all(_is_weight(cell) for row in rows for cell in row)


def _is_symmetric(rows: list[list[str]]) -> bool:
    return all(
        row == list(column) for row, column in zip(rows, zip(*rows, strict=True), strict=True)
    )


def _by_single_blanks(text: bytes) -> bytes:
    return BLANKS.sub(b" ", EDGE_OF_BLANKS.sub(b"", text))


def _rows_of(text: bytes, form: CsvFormat, is_cut: bool) -> list[list[str]]:
    decoded = text.decode(form.encoding, "replace").removeprefix("\ufeff")
    return split_sample_rows(decoded, form.delimiter, is_cut, form.quote)


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
