"""Distinguishing added links from true ones: linked people mostly have common friends."""

from typing import Any

import numpy as np

from deid_portal.engine.networks.network import Network, Pairs
from deid_portal.engine.networks.structure import structure_kernels
from deid_portal.engine.report.network import FakeLinksAttack

MOST_LINKS = 2_000_000


def detect_fake_links(released: Network, added: Pairs) -> FakeLinksAttack:
    """Rank the links of a release by common neighbors, fewest first; count added ones on top.

    `precision` is the share of added links among as many links as were added, from the top;
    `chance` what guessing would give; `auc` how often an added link ranks before a true one.
    X. Ying, X. Wu and D. Barbará, Spectrum based fraud detection, and similar, score links so.
    """
    plain = released.undirected
    pairs = plain.pairs
    if not len(added) or not len(pairs) or len(pairs) > MOST_LINKS:
        return FakeLinksAttack("fake-links", links=len(pairs), added=len(added))
    keys = np.sort(added.astype(np.int64), axis=1)
    is_added = np.isin(plain.keys, keys[:, 0] * plain.nodes + keys[:, 1])
    common = structure_kernels.common_neighbors(plain.offsets, plain.neighbors, pairs)
    smaller = np.minimum(plain.degrees[pairs[:, 0]], plain.degrees[pairs[:, 1]])
    score = -(common / np.maximum(smaller - 1, 1))
    return FakeLinksAttack(
        "fake-links",
        links=len(pairs),
        added=int(is_added.sum()),
        precision=_precision(score, is_added),
        chance=float(is_added.mean()),
        auc=_area(score, is_added),
    )


def _precision(score: Any, is_added: Any) -> float:
    """Return the expected share of added links on top, links of equal score in random order."""
    wanted = int(is_added.sum())
    threshold = np.sort(score)[::-1][wanted - 1]
    above, level = score > threshold, score == threshold
    left = wanted - int(above.sum())
    found = float(is_added[above].sum()) + left * float(is_added[level].mean())
    return found / wanted


def _area(score: Any, is_added: Any) -> float:
    _, codes, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[codes.reshape(-1)]
    positive = int(is_added.sum())
    negative = len(score) - positive
    if not positive or not negative:
        return 0.5
    above = float(ranks[is_added].sum()) - positive * (positive + 1) / 2
    return above / positive / negative
