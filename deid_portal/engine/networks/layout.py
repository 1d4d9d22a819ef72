"""Where to draw nodes: springs for small networks, communities as single dots for large ones.

The same network always gets the same picture. Coordinates lie between 0 and 1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.structure import Structure

MOST_DRAWN = 400
MOST_DOTS = 60
STEPS = 120
Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Drawing:
    """Dots and lines; a dot is a node, or a group of `sizes` nodes where there are too many."""

    points: Points  # dot × (x, y)
    sizes: NDArray[np.int64]  # nodes behind each dot
    lines: NDArray[np.int64]  # line × two dots
    weights: NDArray[np.int64]  # links behind each line
    group_of: NDArray[np.int64]  # the dot of each node
    is_aggregated: bool

    def to_document(self) -> dict[str, Any]:
        return {
            "points": np.round(self.points, 4).tolist(),
            "sizes": self.sizes.tolist(),
            "lines": self.lines.tolist(),
            "weights": self.weights.tolist(),
            "aggregated": self.is_aggregated,
        }


def draw(network: Network, group_of: NDArray[Any] | None = None) -> Drawing:
    """Place every node, or where there are too many, their communities.

    `group_of` draws before and after alike: the groups of one drawing can be handed to another.
    """
    plain = network.undirected
    if group_of is None and plain.nodes <= MOST_DRAWN:
        points = place_by_springs(plain.nodes, plain.pairs, np.ones(plain.edges))
        alone = np.arange(plain.nodes, dtype=np.int64)
        ones = np.ones(plain.nodes, np.int64)
        weights = np.ones(plain.edges, np.int64)
        return Drawing(points, ones, plain.pairs.astype(np.int64), weights, alone, False)
    groups = _largest_communities(plain) if group_of is None else np.asarray(group_of, np.int64)
    return _draw_groups(plain, groups)


def _largest_communities(network: Network) -> NDArray[np.int64]:
    """Return a dot per node: the largest communities, and one for all the rest."""
    found = Structure(network).communities.astype(np.int64)
    sizes = np.bincount(found)
    order = np.argsort(-sizes, kind="stable")
    dot = np.full(len(sizes), MOST_DOTS - 1, np.int64)
    dot[order[: MOST_DOTS - 1]] = np.arange(min(len(order), MOST_DOTS - 1))
    return dot[found]


def _draw_groups(network: Network, groups: NDArray[np.int64]) -> Drawing:
    count = int(groups.max(initial=0)) + 1
    sizes = np.bincount(groups, minlength=count).astype(np.int64)
    ends = np.sort(groups[network.pairs], axis=1)
    ends = ends[ends[:, 0] != ends[:, 1]]
    keys, weights = np.unique(ends[:, 0] * count + ends[:, 1], return_counts=True)
    lines = np.column_stack([keys // count, keys % count])
    points = place_by_springs(count, lines, np.log1p(weights))
    return Drawing(points, sizes, lines, weights.astype(np.int64), groups, True)


def place_by_springs(nodes: int, lines: NDArray[Any], pull: NDArray[Any]) -> Points:
    """Let lines pull and dots push until they rest.

    T. Fruchterman and E. Reingold, Graph drawing by force-directed placement, 1991.
    """
    if nodes < 2:
        return np.full((nodes, 2), 0.5)
    turn = 2.399963 * np.arange(nodes)  # the golden angle spreads dots over a disc
    radius = np.sqrt((np.arange(nodes) + 0.5) / nodes)
    points = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
    ideal = np.sqrt(4.0 / nodes)
    strength = pull / max(float(pull.max(initial=1.0)), 1e-9)
    for heat in np.linspace(0.2, 0.002, STEPS):
        moves = _push(points, ideal) + _pull(points, lines, strength, ideal) - 0.05 * points
        length = np.maximum(np.linalg.norm(moves, axis=1, keepdims=True), 1e-9)
        points = points + moves / length * np.minimum(length, heat)
    return _fit(points)


def _push(points: Points, ideal: float) -> Points:
    apart = points[:, None, :] - points[None, :, :]
    squared = np.maximum((apart**2).sum(axis=2), 1e-6)
    pushes: Points = (apart * (ideal**2 / squared)[:, :, None]).sum(axis=1)
    return pushes


def _pull(
    points: Points, lines: NDArray[Any], strength: NDArray[np.float64], ideal: float
) -> Points:
    moves = np.zeros_like(points)
    if not len(lines):
        return moves
    apart = points[lines[:, 0]] - points[lines[:, 1]]
    force = apart * (np.linalg.norm(apart, axis=1) * strength / ideal)[:, None]
    np.add.at(moves, lines[:, 0], -force)
    np.add.at(moves, lines[:, 1], force)
    return moves


def _fit(points: Points) -> Points:
    low, high = points.min(axis=0), points.max(axis=0)
    spread = float(max((high - low).max(), 1e-9))
    fitted: Points = 0.5 + (points - (low + high) / 2) / spread * 0.96
    return fitted
