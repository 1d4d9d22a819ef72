"""How well a release keeps the structure of the original network."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.structure.comparison import compare_degrees
from deid_portal.engine.networks.structure.structure import Structure
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.network import StructureComparison, StructureDistance

MOST_IMPORTANT = 0.01  # share of people whose ranks are looked at


def compare_structure(
    before: Network, after: Network, same: bool, progress: Progress
) -> StructureComparison:
    """Describe both networks and how far they are apart.

    `same` says that node i is the same person in both; only then can communities and ranks be
    compared.
    """
    first, second = Structure(before, progress), Structure(after, progress)
    distance = StructureDistance(
        degrees=compare_degrees(before.undirected, after.undirected),
        degrees_largest_gap=_largest_gap(before.undirected.degrees, after.undirected.degrees),
        clustering=abs(first.clustering - second.clustering),
        mean_path=abs(first.mean_path - second.mean_path),
        spectrum=_spectral_distance(first.spectrum, second.spectrum),
        components=abs(len(first.components) - len(second.components)),
    )
    if same:
        distance = replace(
            distance,
            communities=1 - agreement(first.communities, second.communities),
            importance_ranks=1 - rank_correlation(first.importance, second.importance),
            most_important_kept=_kept_at_top(first.importance, second.importance),
        )
    return StructureComparison(first.describe(), second.describe(), distance)


def _largest_gap(first: NDArray[Any], second: NDArray[Any]) -> float:
    """Return the largest distance between the two shares of people below a degree."""
    if not len(first) or not len(second):
        return 0.0
    most = int(max(first.max(), second.max())) + 1
    shares = [np.cumsum(np.bincount(d, minlength=most)) / len(d) for d in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())


def _spectral_distance(first: list[float], second: list[float]) -> float | None:
    """Return the distance of the largest eigenvalues over their length before."""
    size = min(len(first), len(second))
    if not size:
        return None
    one, other = np.array(first[:size]), np.array(second[:size])
    length = float(np.linalg.norm(one))
    return float(np.linalg.norm(one - other)) / length if length else 0.0


def agreement(first: NDArray[np.int32], second: NDArray[np.int32]) -> float:
    """Return how well two divisions of the same people agree, 1 for equal, about 0 for chance.

    The adjusted Rand index (L. Hubert and P. Arabie, 1985).
    """
    nodes = len(first)
    if nodes < 2:
        return 1.0
    both = first.astype(np.int64) * (int(second.max()) + 1) + second
    pairs = [_pairs(np.unique(codes, return_counts=True)[1]) for codes in (both, first, second)]
    total = nodes * (nodes - 1) / 2
    expected = pairs[1] * pairs[2] / total
    most = (pairs[1] + pairs[2]) / 2
    return float((pairs[0] - expected) / (most - expected)) if most != expected else 1.0


def _pairs(counts: NDArray[np.int64]) -> float:
    return float((counts.astype(np.float64) * (counts - 1) / 2).sum())


def rank_correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return Spearman's correlation of the ranks, equal values sharing their mean rank."""
    ranks = [_ranks(np.round(values, 15)) for values in (first, second)]
    spread = [own - own.mean() for own in ranks]
    length = float(np.sqrt((spread[0] ** 2).sum() * (spread[1] ** 2).sum()))
    return float((spread[0] * spread[1]).sum()) / length if length else 1.0


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[codes.reshape(-1)])


def _kept_at_top(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """Return which share of the most important people is still among them."""
    count = max(round(MOST_IMPORTANT * len(first)), 1)
    tops = [set(np.argsort(-values, kind="stable")[:count].tolist()) for values in (first, second)]
    return len(tops[0] & tops[1]) / count
