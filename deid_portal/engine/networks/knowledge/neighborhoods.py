"""Which nodes have isomorphic neighborhoods.

Codes distinguish most neighborhoods and decide nearly all that are isomorphic. The rest is decided
by canonical forms: all ways to individualize the nodes of a neighborhood are tried, and the
smallest resulting form counts. That can take too long for large regular ones; those nodes are
counted as undecided, never as hidden.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.cores import map_in_threads
from deid_portal.engine.networks.knowledge import neighborhood_kernels
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.networks.network import Network, Nodes
from deid_portal.engine.progress import Progress

Colors = NDArray[np.uint64]

WORK_AT_ONCE = 4_000_000
MOST_PICTURES = 400  # forms tried for one neighborhood
MOST_NODES_DRAWN = 120
MOST_DRAWN = 4000  # neighborhoods per call


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The neighbors of everybody whatever the direction, the ways to them, and their labels."""

    plain: Network
    ways: NDArray[np.uint8]  # of each entry of a row: 1 there, 2 back, 3 both; empty if undirected
    labels: Colors

    @classmethod
    def of(cls, network: Network, labels: Colors | None = None) -> "Surroundings":
        known = np.zeros(network.nodes, np.uint64) if labels is None else labels
        return cls(network.undirected, network.ways, known)

    @property
    def arrays(self) -> tuple[NDArray[np.int64], Nodes, NDArray[np.uint8], Colors]:
        return self.plain.offsets, self.plain.neighbors, self.ways, self.labels


def partition_by_neighborhood(
    network: Network, progress: Progress, labels: Colors | None = None
) -> NodePartition:
    """Group nodes whose neighborhoods are isomorphic; `labels` must then agree, too."""
    around = Surroundings.of(network, labels)
    everyone = np.arange(network.nodes, dtype=np.int32)
    codes = code_neighborhoods(around, everyone, progress)
    return settle_codes(around, codes, progress)


def settle_codes(around: Surroundings, codes: Colors, progress: Progress) -> NodePartition:
    """Group nodes by the codes of neighborhoods; canonical forms decide where codes do not."""
    found = NodePartition.by_keys(codes)
    open_nodes = _not_settled(around, found)
    if not len(open_nodes):
        return found
    return _settle(around, found, open_nodes, progress)


def code_neighborhoods(around: Surroundings, nodes: Nodes, progress: Progress) -> Colors:
    """Return the codes of some neighborhoods."""

    def code(some: Nodes) -> Colors:
        return neighborhood_kernels.codes_of_neighborhoods(*around.arrays, some)

    pieces = _pieces(around.plain, nodes)
    if len(pieces) == 1:
        return code(nodes)
    found = map_in_threads(
        code,
        pieces,
        lambda done: progress.report(done, len(pieces), "risk", knowledge="neighbourhood"),
    )
    return np.concatenate(found)


def _pieces(network: Network, nodes: Nodes) -> list[Nodes]:
    """Yield nodes in pieces of about equal work."""
    work = np.cumsum(network.degrees[nodes].astype(np.int64) ** 2 + 8)
    total = int(work[-1]) if len(work) else 0
    cuts = np.searchsorted(work, np.arange(WORK_AT_ONCE, total, WORK_AT_ONCE))
    return np.split(nodes, np.unique(cuts))


def _not_settled(around: Surroundings, found: NodePartition) -> Nodes:
    """Return the nodes of classes of two or more that codes alone do not settle."""
    classes, firsts = np.unique(found.class_of, return_index=True)
    shared = classes[found.sizes[classes] > 1]
    heads = firsts[found.sizes[classes] > 1].astype(np.int32)
    amenable = neighborhood_kernels.are_amenable(*around.arrays, heads)
    is_open = np.zeros(len(found.sizes), np.bool_)
    is_open[shared[~amenable]] = True
    return np.flatnonzero(is_open[found.class_of]).astype(np.int32)


def _settle(
    around: Surroundings, found: NodePartition, nodes: Nodes, progress: Progress
) -> NodePartition:
    """Divide classes by canonical forms; a node without one gets its own class."""
    numbers: dict[Any, int] = {}
    next_class = len(found.sizes)
    class_of = found.class_of.copy()
    undecided = 0
    for done, node in enumerate(nodes.tolist()):
        progress.report(done, len(nodes), "risk", knowledge="neighbourhood", drawn=done)
        form = canonical_form(around, node) if done < MOST_DRAWN else None
        undecided += form is None
        key = (int(found.class_of[node]), form if form is not None else ("alone", node))
        class_of[node] = numbers.setdefault(key, next_class + len(numbers))
    _, settled = np.unique(class_of, return_inverse=True)
    return NodePartition(settled.astype(np.int32).reshape(-1), undecided)


def canonical_form(around: Surroundings, node: int) -> tuple[Any, ...] | None:
    """Return the same for isomorphic neighborhoods and for no others, or None if too costly."""
    place = np.full(around.plain.nodes, -1, np.int32)
    ends, rows, known = neighborhood_kernels.draw_around(*around.arrays, node, place)
    part_of, parts = neighborhood_kernels.find_parts(ends, rows)
    forms = []
    for part in range(parts):
        inside = np.flatnonzero(part_of == part)
        form = _draw(ends, rows, known, inside)
        if form is None:
            return None
        forms.append(form)
    return tuple(sorted(forms))


def _draw(ends: Nodes, rows: Nodes, labels: Colors, inside: NDArray[Any]) -> bytes | None:
    """Return the canonical form of one connected part."""
    size = len(inside)
    if size > MOST_NODES_DRAWN:
        return None
    place = np.full(len(ends) - 1, -1, np.int64)
    place[inside] = np.arange(size)
    links = np.zeros((size, size), np.bool_)
    for index, node in enumerate(inside.tolist()):
        links[index, place[rows[ends[node] : ends[node + 1]]]] = True
    start = _refine(links, np.unique(labels[inside], return_inverse=True)[1].reshape(-1))
    best = _smallest_picture(links, start, [MOST_PICTURES])
    return None if best is None else labels[inside][np.argsort(start)].tobytes() + best


def _refine(links: NDArray[np.bool_], colors: NDArray[Any]) -> NDArray[Any]:
    """Refine numbered colors; their numbers depend on nothing but the structure."""
    while True:
        around = links @ np.eye(int(colors.max()) + 1, dtype=np.int32)[colors]
        told = np.column_stack([colors, around])
        _, finer = np.unique(told, axis=0, return_inverse=True)
        finer = finer.reshape(-1)
        if finer.max() == colors.max():
            return finer
        colors = finer


def _smallest_picture(
    links: NDArray[np.bool_], colors: NDArray[Any], budget: list[int], alike: int = 1
) -> bytes | None:
    """Return None where there are more pictures to compare than the budget allows.

    Exchanging twins changes no picture, so one of them is tried for all of them: a picture stands
    for `alike` equal ones.
    """
    sizes = np.bincount(colors)
    if len(sizes) == len(colors):
        budget[0] -= alike
        order = np.argsort(colors)
        return np.packbits(links[np.ix_(order, order)]).tobytes() if budget[0] >= 0 else None
    cell = int(np.flatnonzero(sizes > 1)[np.argmin(sizes[sizes > 1])])
    best: bytes | None = None
    for twins in _twins(links, np.flatnonzero(colors == cell)):
        apart = 2 * colors
        apart[twins[0]] -= 1
        _, apart = np.unique(apart, return_inverse=True)
        finer = _refine(links, apart.reshape(-1))
        picture = _smallest_picture(links, finer, budget, alike * len(twins))
        if picture is None:
            return None
        best = picture if best is None or picture < best else best
    return best


def _twins(links: NDArray[np.bool_], nodes: NDArray[Any]) -> list[list[int]]:
    """Group nodes that are linked to the same others, be they all linked to each other or not."""
    rows, closed = links[nodes], links[nodes]
    closed[np.arange(len(nodes)), nodes] = True
    linked = [row.tobytes() for row in closed]
    count = Counter(linked)
    groups: dict[bytes, list[int]] = {}
    for index, node in enumerate(nodes.tolist()):
        key = linked[index] if count[linked[index]] > 1 else rows[index].tobytes()
        groups.setdefault(key, []).append(node)
    return list(groups.values())
