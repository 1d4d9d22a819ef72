"""Degree sequences for adding links only, if the nodes that need links are linked already.

The best sequence of degrees raises mostly people with many links. They form a core in which nearly
everybody is linked already, so what they lack must be taken up by others. For any set S of nodes
with `open_pairs` pairs still without a link, whoever is outside must rise by at least as much as
those inside, less two per open pair. With a price 0 <= λ < 1 on that rule every network that has
all the links costs at least

    min over sequences of  (1 + λ)·rise(S) + (1 - λ)·rise(others) - 2·λ·open_pairs

That minimum is found exactly, with nodes inside and outside as two sorted lists: it bounds from
below what additions can reach, and the sequence behind it is a better one to realize, since it
lifts strangers of the core into its classes.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.changing import degree_kernels
from deid_portal.engine.networks.changing.degree_sequences import Degrees, sort_degrees
from deid_portal.engine.networks.network import Network

# How many of the highest degrees make a core, and the share of it that others know who join it.
CORES = ((8, 0.3), (12, 0.6), (12, 2.0))
PRICES = (1, 2, 3, 4, 5, 6)
PRICE_UNIT = 8
LARGEST_CORE = 400
SPARE_CLASSES = 4  # of strangers who may be lifted into the core
MOST_WORK = 600_000_000  # steps of all searches together


@dataclass(frozen=True, eq=False)
class ProposedDegrees:
    """New degrees, and the least that any network with all the links can cost."""

    degrees: Degrees
    bound: int


def propose_degrees(network: Network, k: int) -> Iterator[ProposedDegrees]:
    """Yield sequences for several cores and prices, within a limit of work."""
    work = 0
    for inside in find_cores(network):
        core = Core.of(network, inside, k)
        for price in PRICES:
            work += core.work
            if work > MOST_WORK:
                return
            yield core.propose(price)


@dataclass(frozen=True, eq=False)
class Core:
    """A set of nodes and all others, both by falling degree."""

    degrees: Degrees
    inside: NDArray[np.intp]
    outside: NDArray[np.intp]
    open_pairs: int
    k: int

    @classmethod
    def of(cls, network: Network, inside: NDArray[np.bool_], k: int) -> "Core":
        degrees = network.degrees.astype(np.int64)
        core, others = (sort_degrees(degrees, np.flatnonzero(own)) for own in (inside, ~inside))
        return cls(degrees, core, others, count_open_pairs(network, inside), k)

    @property
    def most_lifted(self) -> int:
        """Return how many other nodes are considered one by one while core nodes are left."""
        level = self.degrees[self.inside[-1]]
        above = int((self.degrees[self.outside] >= level).sum())
        return min(above + SPARE_CLASSES * self.k, len(self.outside))

    @property
    def work(self) -> int:
        return len(self.inside) * (self.most_lifted + 1) * 2 * self.k**2

    def propose(self, price: int) -> ProposedDegrees:
        """Return the best degrees at a price, in units of 1 / PRICE_UNIT, and their bound."""
        groups, cost = degree_kernels.cut_with_core(
            self.degrees[self.inside],
            self.degrees[self.outside],
            self.k,
            PRICE_UNIT + price,
            PRICE_UNIT - price,
            self.most_lifted,
        )
        bound = -((2 * price * self.open_pairs - int(cost)) // PRICE_UNIT)
        # Degrees of a network have an even sum, so what is added to them is even as well.
        return ProposedDegrees(self._spread(groups), max(bound + (bound & 1), 0))

    def _spread(self, groups: NDArray[np.int64]) -> Degrees:
        """Give all nodes of each group, from the core and the others, its largest degree."""
        new = self.degrees.copy()
        taken = np.zeros(2, np.int64)
        for own in groups:
            ends = taken + own
            members = np.concatenate(
                [self.inside[taken[0] : ends[0]], self.outside[taken[1] : ends[1]]]
            )
            new[members] = self.degrees[members].max()
            taken = ends
        return new


def find_cores(network: Network) -> Iterator[NDArray[np.bool_]]:
    """Give the nodes of highest degree with those who know a good part of them."""
    falling = np.argsort(-network.degrees, kind="stable")
    starts = np.repeat(np.arange(network.nodes), network.degrees)
    for size, share in CORES:
        inside = np.zeros(network.nodes, np.bool_)
        inside[falling[:size]] = True
        known = np.bincount(starts, weights=inside[network.neighbors], minlength=network.nodes)
        inside |= known >= share * size
        if 0 < inside.sum() < min(network.nodes, LARGEST_CORE):
            yield inside


def count_open_pairs(network: Network, inside: NDArray[np.bool_]) -> int:
    """Count the pairs within a set that have no link."""
    members = int(inside.sum())
    linked = int(inside[network.pairs].all(axis=1).sum())
    return members * (members - 1) // 2 - linked
