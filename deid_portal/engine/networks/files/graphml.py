"""GraphML in and out.

An XML file may name entities that grow without end, or other files. So a document type is refused
altogether, which is where entities are declared, and depth, counts and lengths are limited. The
parser never opens anything. Plain links, the bulk of any file, are not parsed one by one.
"""

import xml.parsers.expat
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.networks.files.graphml_links import PlainLinks, take_plain_links
from deid_portal.engine.networks.network import Intake, Network
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.engine.table.table import Column, Table

PIECE = 1 << 18
DEEPEST = 32
MOST_ELEMENTS = 60_000_000
MOST_KEYS = 500
LONGEST_TEXT = 100_000
ROWS_AT_ONCE = 1 << 16
TOO_MUCH = "The file is nested too deeply or holds too many elements."


def read_graphml(content: bytes, progress: ProgressCallback | None = None) -> Network:
    """Read nodes, their data and links; nested graphs and hyperedges are refused."""
    steps = Progress(progress)
    taken = take_plain_links(content, steps)
    if taken is None:
        return _parse(content, steps).build()
    try:
        return _parse(taken[0], steps).build(taken[1])
    except InvalidTable:
        _parse(content, steps).build()  # raises with the line in the whole file
        raise


def _parse(content: bytes, steps: Progress) -> "_GraphMLReader":
    reader = _GraphMLReader()
    parser = xml.parsers.expat.ParserCreate(namespace_separator="|")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reader.refuse_document_type
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        for start in range(0, len(content), PIECE):
            steps.report(start, len(content), "read")
            parser.Parse(content[start : start + PIECE], False)
        parser.Parse(b"", True)
    except xml.parsers.expat.ExpatError as error:
        raise InvalidTable(
            f"The file is not well-formed XML at line {error.lineno}; export the network again."
        ) from None
    except (LookupError, UnicodeError, ValueError):
        raise InvalidTable("The file is in an encoding that is not known; use UTF-8.") from None
    return reader


class _GraphMLReader:
    """Collects what the parser meets."""

    def __init__(self) -> None:
        self.depth = 0
        self.elements = 0
        self.graphs = 0
        self.directed = False
        self.numbers: dict[str, int] = {}
        self.listed: set[int] = set()  # named by a node of its own, not by links alone
        self.ends: list[int] = []
        self.names: dict[str, str] = {}  # key -> name of a node attribute
        self.defaults: dict[str, str] = {}
        self.cells: dict[str, dict[int, str]] = {}
        self._node: int | None = None
        self._key = ""
        self._text: list[str] | None = None
        self._length = 0
        self._is_edge = False
        self.edge_keys = 0

    def refuse_document_type(self, *_: Any) -> None:
        raise InvalidTable("The file declares a document type, which is not accepted; remove it.")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.elements += 1
        if self.depth > DEEPEST or self.elements > MOST_ELEMENTS:
            raise InvalidTable(TOO_MUCH)
        handle = self._handlers.get(name.rpartition("|")[2])
        if handle is not None:
            handle(self, attributes)

    def _graph(self, attributes: dict[str, str]) -> None:
        self.graphs += 1
        if self.graphs > 1:
            raise InvalidTable("The file holds more than one graph; keep one.")
        self.directed = attributes.get("edgedefault") == "directed"

    def _start_node(self, attributes: dict[str, str]) -> None:
        identifier = attributes.get("id")
        if not identifier:
            raise InvalidTable(f"Node {len(self.numbers) + 1} of the file has no id.")
        self._node = self._number(identifier)
        self.listed.add(self._node)

    def _edge(self, attributes: dict[str, str]) -> None:
        source, target = attributes.get("source"), attributes.get("target")
        if not source or not target:
            raise InvalidTable(f"Link {len(self.ends) // 2 + 1} of the file names only one node.")
        self.ends += [self._number(source), self._number(target)]
        self._is_edge = True

    def _hyperedge(self, attributes: dict[str, str]) -> None:
        raise InvalidTable("The file holds hyperedges; only links between two nodes can be read.")

    def _start_key(self, attributes: dict[str, str]) -> None:
        if attributes.get("for", "all") == "edge":
            self.edge_keys += 1
        if attributes.get("for", "all") in ("node", "all") and attributes.get("id"):
            self._key = attributes["id"]
            self.names[self._key] = attributes.get("attr.name") or self._key
        if len(self.names) > MOST_KEYS:
            raise InvalidTable(f"The file has more than {MOST_KEYS} kinds of data; keep fewer.")

    def _start_data(self, attributes: dict[str, str]) -> None:
        if self._node is not None and attributes.get("key") in self.names:
            self._key = attributes["key"]
            self._text, self._length = [], 0

    def _start_default(self, attributes: dict[str, str]) -> None:
        if self._key:
            self._text, self._length = [], 0

    def text(self, text: str) -> None:
        if self._text is None:
            return
        self._length += len(text)
        if self._length > LONGEST_TEXT:
            raise InvalidTable(f"The file holds a text of more than {LONGEST_TEXT:,} characters.")
        self._text.append(text)

    def end(self, name: str) -> None:
        self.depth -= 1
        name = name.rpartition("|")[2]
        if name == "data" and self._text is not None and self._node is not None:
            self.cells.setdefault(self._key, {})[self._node] = "".join(self._text).strip()
        elif name == "default" and self._text is not None:
            self.defaults[self._key] = "".join(self._text).strip()
        elif name == "node":
            self._node = None
        elif name == "key":
            self._key = ""
        if name in ("data", "default"):
            self._text = None

    _handlers = {
        "graph": _graph,
        "node": _start_node,
        "edge": _edge,
        "hyperedge": _hyperedge,
        "key": _start_key,
        "data": _start_data,
        "default": _start_default,
    }

    def _number(self, identifier: str) -> int:
        return self.numbers.setdefault(identifier, len(self.numbers))

    def build(self, plain: PlainLinks | None = None) -> Network:
        if not self.graphs:
            raise InvalidTable("The file is XML but holds no graph; export the network as GraphML.")
        pairs = np.array(self.ends, np.int32).reshape(-1, 2)
        if plain is not None:
            places = np.array([self._number(text) for text in plain.ids], np.int32)
            pairs = np.concatenate([pairs, places[plain.pairs]])
        if self.elements + len(pairs) > MOST_ELEMENTS:
            raise InvalidTable(TOO_MUCH)
        if not self.numbers:
            raise InvalidTable("The graph in the file has no nodes.")
        network = Network.from_pairs(
            len(self.numbers),
            pairs,
            directed=self.directed,
            labels=tuple(self.numbers),
            table=self._table(),
            intake=Intake(extra_columns=self.edge_keys),
        )
        listed = np.zeros(network.nodes, np.bool_)
        listed[list(self.listed)] = True
        return replace(network, listed=listed)

    def _table(self) -> Table | None:
        columns = []
        taken: set[str] = set()
        for key, name in self.names.items():
            cells, default = self.cells.get(key, {}), self.defaults.get(key)
            name = name if name not in taken else f"{name} ({key})"
            taken.add(name)
            values = (cells.get(node, default) or None for node in range(len(self.numbers)))
            columns.append(Column.from_cells(name, values))
        return Table(tuple(columns)) if columns else None


def write_graphml(network: Network) -> Iterator[bytes]:
    """Give a release as GraphML, in pieces: numbered nodes, their attributes, links."""
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
    yield b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    columns = network.table.columns if network.table is not None else ()
    for index, column in enumerate(columns):
        name = quoteattr(column.name)
        yield f'<key id="d{index}" for="node" attr.name={name} attr.type="string"/>\n'.encode()
    default = "directed" if network.directed else "undirected"
    yield f'<graph edgedefault="{default}">\n'.encode()
    texts = [[None if t is None else escape(_printable(t)) for t in c.values] for c in columns]
    for node in range(network.nodes):
        cells = "".join(
            f'<data key="d{index}">{texts[index][column.codes[node]]}</data>'
            for index, column in enumerate(columns)
            if texts[index][column.codes[node]] is not None
        )
        yield f'<node id="{node + 1}">{cells}</node>\n'.encode()
    for start in range(0, network.edges, ROWS_AT_ONCE):
        some = (network.pairs[start : start + ROWS_AT_ONCE] + 1).tolist()
        yield "".join(f'<edge source="{a}" target="{b}"/>\n' for a, b in some).encode()
    yield b"</graph>\n</graphml>\n"


def _printable(text: str) -> str:
    """Return the text without signs that XML cannot hold."""
    return "".join(sign for sign in text if sign >= " " or sign in "\t\n")
