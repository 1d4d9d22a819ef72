"""Which links of a network were added and removed, and what share of them that is."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.network import Network, Pairs
from deid_portal.engine.report.network import LinkCounts


@dataclass(frozen=True, eq=False)
class LinkChanges:
    """Links of two networks of the same nodes."""

    before: int
    after: int
    added: Pairs
    removed: Pairs

    @property
    def loss(self) -> float:
        """Return the share of all links, before or after, that only one of the two has."""
        changed = len(self.added) + len(self.removed)
        return changed / (self.before + len(self.added)) if changed else 0.0

    def count(self) -> LinkCounts:
        return LinkCounts(
            before=self.before,
            after=self.after,
            added=len(self.added),
            removed=len(self.removed),
            kept=self.before - len(self.removed),
        )


def compare_links(before: Network, after: Network) -> LinkChanges:
    """Compare two networks in which node i is the same person."""
    return LinkChanges(
        before.edges,
        after.edges,
        after.pairs[~_are_in(after.keys, before.keys)],
        before.pairs[~_are_in(before.keys, after.keys)],
    )


def _are_in(keys: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say which numbers are among others; both are sorted."""
    if not len(others):
        return np.zeros(len(keys), np.bool_)
    places = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    return np.asarray(others[places] == keys)


def compare_degrees(before: Network, after: Network) -> float:
    """Return half the sum of differences between the shares of people with each degree, 0..1."""
    most = int(max(before.degrees.max(initial=0), after.degrees.max(initial=0))) + 1
    shares = [
        np.bincount(network.degrees, minlength=most) / max(network.nodes, 1)
        for network in (before, after)
    ]
    return float(np.abs(shares[0] - shares[1]).sum() / 2)
