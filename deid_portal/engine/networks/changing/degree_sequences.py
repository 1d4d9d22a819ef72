"""The nearest sequence of degrees in which every degree occurs at least k times.

K. Liu and E. Terzi, Towards identity anonymization on graphs, SIGMOD 2008. Nodes are sorted by
degree, so groups of equal new degree are neighbors in that order, and no best group needs 2k nodes
or more: it could be cut in two at no cost. The sum of degrees of a network is even, so the cost
must be even to be realized; `even` asks for the best of those.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.changing import degree_kernels
from deid_portal.engine.networks.network import Nodes

Degrees = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class DegreeSequence:
    """New degrees in the order of the nodes, and the sum of differences to the old ones."""

    degrees: Degrees
    cost: int


def find_optimal_degrees(
    degrees: Nodes, k: int, *, may_remove: bool, even: bool = False
) -> DegreeSequence | None:
    """Return the sequence of least cost, or None; without `may_remove` no degree falls."""
    order = sort_degrees(degrees)
    falling = degrees[order].astype(np.int64)
    starts, cost = degree_kernels.cut_optimally(falling, k, may_remove, even)
    if cost < 0:
        return None
    return _spread(order, falling, starts, may_remove)


def find_greedy_degrees(degrees: Nodes, k: int, *, may_remove: bool) -> DegreeSequence:
    """Return a sequence found in one pass: groups grow while that costs less than a new one."""
    order = sort_degrees(degrees)
    falling = degrees[order].astype(np.int64)
    starts = degree_kernels.cut_greedily(falling, k, may_remove)
    return _spread(order, falling, starts, may_remove)


def sort_degrees(degrees: NDArray[Any], nodes: NDArray[np.intp] | None = None) -> NDArray[np.intp]:
    """Return nodes, or some of them, by falling degree."""
    if nodes is None:
        return np.argsort(-degrees.astype(np.int64), kind="stable")
    return nodes[np.argsort(-degrees[nodes].astype(np.int64), kind="stable")]


def _spread(
    order: NDArray[np.intp], falling: Degrees, starts: NDArray[np.int64], may_remove: bool
) -> DegreeSequence:
    """Give every node of a group the degree of its first, or of its middle one."""
    ends = np.append(starts[1:, 0], len(falling))
    firsts = starts[:, 0]
    chosen = (firsts + ends) // 2 if may_remove else firsts
    new = np.repeat(falling[chosen] + starts[:, 1], ends - firsts)
    degrees = np.empty(len(falling), np.int64)
    degrees[order] = new
    return DegreeSequence(degrees, int(np.abs(new - falling).sum()))
