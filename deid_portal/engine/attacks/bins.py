"""Counts sorted into bins, so that what an attack found can be drawn."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import AttackBins, Bin

SIZES = ((1, 1), (2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, None))
SHARES = (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0)
Numbers = NDArray[np.int64] | NDArray[np.int32]


def spread_sizes(sizes: Numbers, marked_below: int, *, of: str, by: str) -> AttackBins:
    """Count sizes of 1 or more; bins that lie wholly below `marked_below` are marked."""
    bins = [
        Bin(
            _range_label(low, high),
            int(((sizes >= low) & (sizes <= (np.inf if high is None else high))).sum()),
            high is not None and high < marked_below,
        )
        for low, high in SIZES
    ]
    return AttackBins(of, by, _trim(bins))


def spread_counts(counts: Numbers, marked_up_to: int, *, of: str, by: str) -> AttackBins:
    """Count small whole numbers of 1 or more, the last bin taking the rest."""
    most = max(int(marked_up_to) + 2, 4)
    bins = [Bin(str(n), int((counts == n).sum()), n <= marked_up_to) for n in range(1, most)]
    rest = Bin(f"{most} +", int((counts >= most).sum()), False)
    return AttackBins(of, by, (*bins, rest))


def spread_shares(
    shares: NDArray[np.float64], weights: Numbers, marked_from: float, *, of: str, by: str
) -> AttackBins:
    """Count weighted shares in bands of percent; those from `marked_from` on are marked."""
    edges = sorted({*SHARES, marked_from})
    bins = []
    for low, high in pairwise(edges):
        inside = (shares >= low) & ((shares < high) | ((high == 1) & (shares <= 1)))
        inside |= (low == 0) & (shares < 0)
        label = f"{100 * low:g}–{100 * high:g}"
        bins.append(Bin(label, int(weights[inside].sum()), low >= marked_from))
    return AttackBins(of, by, tuple(bins))


def compare_shares(by: str, pairs: Sequence[tuple[str, float]]) -> AttackBins:
    """Return bins of success, in percent, beside those it is compared with; its own first."""
    bins = [Bin(label, round(100 * share, 2), not n) for n, (label, share) in enumerate(pairs)]
    return AttackBins("percent", by, tuple(bins))


def _range_label(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} +"
    return str(low) if low == high else f"{low}–{high}"


def _trim(bins: list[Bin]) -> tuple[Bin, ...]:
    """Drop empty bins at both ends, so that a release of large groups shows no row of zeros."""
    used = [place for place, own in enumerate(bins) if own.count]
    return tuple(bins[used[0] : used[-1] + 1]) if used else ()
