"""A network of people: who is linked with whom, kept as sorted neighbor lists.

The ids people have in the file are labels, stored apart from the links: only the reader and
internal pages use them, and they are never released. Loops and repeated links are dropped when a
network is made, and counted.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.networks import kernels
from deid_portal.engine.report.network import IntakeCounts
from deid_portal.engine.table.table import Table

Nodes = NDArray[np.int32]
Offsets = NDArray[np.int64]
Pairs = NDArray[np.int32]  # link × its two ends

MOST_NODES = (1 << 31) - 2


@dataclass(frozen=True)
class Intake(IntakeCounts):
    """What was found while a network was read; counts only."""

    links: int = 0  # lines, cells or entries that name a link
    loops: int = 0  # of them, from somebody to themselves; dropped
    repeated: int = 0  # of them, named before (either way round if undirected); dropped
    only_loops: int = 0  # nodes that only a loop names; left out unless the node table has them
    isolated: int = 0  # nodes without a link; kept
    without_attributes: int = 0  # nodes the node table does not name
    extra_columns: int = 0  # columns beyond the two ends of a link, such as weights; not read

    def notes(self) -> list[str]:
        """Say in sentences what was dropped or is missing."""
        said = [
            (self.loops, "link from a node to itself left out",
             "links from a node to itself left out"),
            (self.repeated, "link named before counts once", "links named before count once"),
            (self.only_loops, "node with no link but to itself left out",
             "nodes with no link but to themselves left out"),
            (self.isolated, "node has no link and is kept", "nodes have no link and are kept"),
            (self.without_attributes, "node is not in the node table; its attributes are gaps",
             "nodes are not in the node table; their attributes are gaps"),
            (self.extra_columns, "further column of the links, such as a weight, is not released",
             "further columns of the links, such as weights, are not released"),
        ]  # fmt: skip
        return [f"{count:,} {one if count == 1 else many}." for count, one, many in said if count]


@dataclass(frozen=True, eq=False)
class Network:
    """Nodes 0 .. nodes - 1 and their neighbors in rising order, row after row.

    An undirected link stands in the rows of both its ends; a directed one in the row of the node it
    starts from.
    """

    offsets: Offsets  # where the row of each node starts, and the end
    neighbors: Nodes
    directed: bool = False
    labels: tuple[str, ...] | None = None  # the id of each node; None in a release
    table: Table | None = None  # one row per node: its attributes
    intake: Intake = Intake()
    source_sha256: str = ""
    # Which nodes the node list names, not only links; None: there is no node list.
    listed: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if self.table is not None and self.table.columns and self.table.rows != self.nodes:
            raise InvalidTable("The node table and the network are not equally long.")

    @classmethod
    def from_pairs(
        cls,
        nodes: int,
        pairs: NDArray[Any],
        *,
        directed: bool = False,
        labels: Sequence[str] | None = None,
        table: Table | None = None,
        intake: Intake | None = None,
        source_sha256: str = "",
    ) -> "Network":
        """Make a network of so many nodes; loops and repeated pairs are dropped and counted."""
        if nodes > MOST_NODES:
            raise InvalidTable(f"The network has more than {MOST_NODES:,} nodes.")
        keys, loops, repeated = _distinct_keys(nodes, pairs, directed)
        offsets, neighbors = _rows_of(nodes, keys, directed)
        found = replace(intake or Intake(), links=len(pairs), loops=loops, repeated=repeated)
        network = cls(
            offsets,
            neighbors,
            directed,
            None if labels is None else tuple(labels),
            table,
            found,
            source_sha256,
        )
        return replace(network, intake=replace(found, isolated=network.count_isolated()))

    @property
    def nodes(self) -> int:
        return len(self.offsets) - 1

    @property
    def edges(self) -> int:
        """Return the number of links, each counted once."""
        return len(self.neighbors) if self.directed else len(self.neighbors) // 2

    @cached_property
    def degrees(self) -> Nodes:
        """Return how many links start from each node; undirected: how many it has."""
        return np.diff(self.offsets).astype(np.int32)

    @cached_property
    def in_degrees(self) -> Nodes:
        if not self.directed:
            return self.degrees
        return np.bincount(self.neighbors, minlength=self.nodes).astype(np.int32)

    @cached_property
    def pairs(self) -> Pairs:
        """Return every link once, in rising order; undirected with the smaller node first."""
        first = np.repeat(np.arange(self.nodes, dtype=np.int32), self.degrees)
        pairs = np.column_stack([first, self.neighbors])
        return pairs if self.directed else pairs[first < self.neighbors]

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """Return one number per link, in rising order, for comparing networks of equal nodes."""
        return self.pairs[:, 0].astype(np.int64) * self.nodes + self.pairs[:, 1]

    @cached_property
    def undirected(self) -> "Network":
        """Return the same links without directions."""
        if not self.directed:
            return self
        return replace(self.with_pairs(self.pairs, directed=False), intake=self.intake)

    @cached_property
    def ways(self) -> NDArray[np.uint8]:
        """Return how each neighbor in the rows of the undirected network is linked: 1 there, 2
        back, 3 both ways. Empty if links have no directions.
        """
        if not self.directed:
            return np.zeros(0, np.uint8)
        rows = self.undirected
        pairs = np.column_stack([np.repeat(np.arange(rows.nodes), rows.degrees), rows.neighbors])
        return (self.has_edges(pairs) + 2 * self.has_edges(pairs[:, ::-1])).astype(np.uint8)

    def count_isolated(self) -> int:
        return int(((self.degrees == 0) & (self.in_degrees == 0)).sum())

    def with_pairs(self, pairs: NDArray[Any], directed: bool | None = None) -> "Network":
        """Return the same nodes with other links."""
        return Network.from_pairs(
            self.nodes,
            pairs,
            directed=self.directed if directed is None else directed,
            labels=self.labels,
            table=self.table,
            source_sha256=self.source_sha256,
        )

    def renumbered(self, order: NDArray[Any]) -> "Network":
        """Return the network with node order[i] as node i; labels do not come along."""
        place = np.empty(self.nodes, np.int32)
        place[order] = np.arange(self.nodes, dtype=np.int32)
        table = self.table and Table(tuple(c.take(order) for c in self.table.columns))
        return Network.from_pairs(
            self.nodes, place[self.pairs], directed=self.directed, table=table
        )

    def has_edges(self, pairs: NDArray[Any]) -> NDArray[np.bool_]:
        """Say of each pair whether it is a link."""
        first, second = (np.ascontiguousarray(pairs[:, end], np.int32) for end in (0, 1))
        return kernels.are_linked(self.offsets, self.neighbors, first, second)

    @cached_property
    def sha256(self) -> str:
        """Return the hash of the source file or, without one, of the network itself."""
        return self.source_sha256 or self._digest().hex()[:64]

    def _digest(self) -> bytes:
        """Return a hash of everything in the network, ids included."""
        digest = hashlib.sha512()
        digest.update(str((self.nodes, self.directed)).encode())
        digest.update(self.offsets.tobytes())
        digest.update(self.neighbors.tobytes())
        digest.update("\0".join(self.labels or ()).encode("utf-8", "surrogatepass"))
        return digest.digest()


def _distinct_keys(
    nodes: int, pairs: NDArray[Any], directed: bool
) -> tuple[NDArray[np.int64], int, int]:
    """Return the links as sorted numbers without loops and repeats, and how many there were."""
    first, second = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
    if len(pairs) and not (pairs.min() >= 0 and pairs.max() < nodes):
        raise InvalidTable("A link names a node that the network does not have.")
    is_link = first != second
    loops = int(len(first) - is_link.sum())
    if loops:
        first, second = first[is_link], second[is_link]
    if not directed:
        first, second = np.minimum(first, second), np.maximum(first, second)
    keys = first * nodes + second
    keys.sort()
    is_new = np.empty(len(keys), np.bool_)
    is_new[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    distinct = keys[is_new]
    return distinct, loops, len(keys) - len(distinct)


def _rows_of(nodes: int, keys: NDArray[np.int64], directed: bool) -> tuple[Offsets, Nodes]:
    """Return neighbor lists from sorted links, in time that follows their number."""
    first = (keys // max(nodes, 1)).astype(np.int32)
    second = (keys % max(nodes, 1)).astype(np.int32)
    counts = np.bincount(first, minlength=nodes)
    if not directed:
        counts = counts + np.bincount(second, minlength=nodes)
    offsets = np.zeros(nodes + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets, kernels.fill_rows(offsets, first, second, directed)
