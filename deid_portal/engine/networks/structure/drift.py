"""Changes between two versions of a network: people, links, and degrees.

Nodes of both versions are matched by id. Only counts are reported, never an id.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.evidence.difference_tests import Difference, compare_numbers
from deid_portal.engine.evidence.drift import DriftVerdict, judge_drift
from deid_portal.engine.networks.network import Network

BINS = ((0, 0), (1, 1), (2, 2), (3, 5), (6, 10), (11, 20), (21, 50), (51, 100), (101, 1000))


@dataclass(frozen=True)
class Turnover:
    """How many there were and are, and how many of these are the same."""

    before: int
    after: int
    stayed: int

    @property
    def came(self) -> int:
        return self.after - self.stayed

    @property
    def went(self) -> int:
        return self.before - self.stayed


@dataclass(frozen=True)
class NetworkDrift:
    """How a network differs from an earlier one.

    `distance` is the largest gap between the two cumulative shares of people by their number of
    links (Kolmogorov and Smirnov); `bins` hold label, people before and people after.
    """

    people: Turnover
    links: Turnover
    mean_before: float
    mean_after: float
    largest_before: int
    largest_after: int
    changed_degree: int  # of those who stayed, who has another number of links
    distance: float
    verdict: str
    bins: list[list[Any]] = field(default_factory=list)
    visible_from: float | None = None  # smaller gaps would not be seen for sure
    shift_unseen: float | None = None  # nor a smaller shift of the mean number of links

    def to_document(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> "NetworkDrift":
        turnovers = {name: Turnover(**document[name]) for name in ("people", "links")}
        return cls(**{**document, **turnovers})


def compare_networks(before: Network, after: Network) -> NetworkDrift:
    """Compare two versions of a network; both need their ids."""
    place = _places(before, after)
    stayed = place >= 0
    old, new = before.undirected.degrees, after.undirected.degrees
    found = _compare_degrees(old, new)
    return NetworkDrift(
        people=Turnover(before.nodes, after.nodes, int(stayed.sum())),
        links=Turnover(before.edges, after.edges, _links_kept(before, after, place)),
        mean_before=float(old.mean()) if len(old) else 0.0,
        mean_after=float(new.mean()) if len(new) else 0.0,
        largest_before=int(old.max(initial=0)),
        largest_after=int(new.max(initial=0)),
        changed_degree=int((old[stayed] != new[place[stayed]]).sum()),
        distance=found.distance if found else 0.0,
        verdict=judge_drift(found).value if found else DriftVerdict.SAME.value,
        visible_from=found.visible_from if found else None,
        shift_unseen=found.shift_unseen if found else None,
        bins=_bins(old, new),
    )


def _places(before: Network, after: Network) -> NDArray[np.int64]:
    """Return the node of the later network that has the id of each earlier one, or -1."""
    numbers = {label: number for number, label in enumerate(after.labels or ())}
    return np.array([numbers.get(label, -1) for label in before.labels or ()], np.int64)


def _links_kept(before: Network, after: Network, place: NDArray[np.int64]) -> int:
    if not before.edges or not after.edges:
        return 0
    pairs = place[before.pairs]
    pairs = pairs[(pairs >= 0).all(axis=1)]
    return int(after.has_edges(pairs).sum()) if len(pairs) else 0


def _compare_degrees(old: NDArray[Any], new: NDArray[Any]) -> Difference | None:
    """Test whether numbers of links have changed; None if there is nobody in one of the two."""
    if not len(old) or not len(new):
        return None
    most = int(max(old.max(), new.max())) + 1
    rows = np.array([np.bincount(own, minlength=most) for own in (old, new)])
    return compare_numbers(np.arange(most, dtype=np.float64), rows, np.zeros(2, np.int64))


def _bins(old: NDArray[Any], new: NDArray[Any]) -> list[list[Any]]:
    """Return label, people before and after; the last bin has no upper end."""
    found = []
    for low, high in BINS:
        counts = [int(((own >= low) & (own <= high)).sum()) for own in (old, new)]
        found.append([f"{low:,}" if low == high else f"{low:,}–{high:,}", *counts])
    last = BINS[-1][1]
    found.append([f"> {last:,}", *(int((own > last).sum()) for own in (old, new))])
    return [own for own in found if own[1] or own[2]]
