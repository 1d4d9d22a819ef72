"""How private a random sample is once its small groups are left out.

Every record is drawn with the chance β, independently; each is shown in a way that depends on it
alone, and what fewer than k drawn records show alike is left out. N. Li, W. Qardaji and D. Su (On
sampling, anonymization, and differential privacy, ASIACCS 2012) prove this to be differentially
private for every ε ≥ −ln(1 − β), where neighbors differ by one record, with

    δ = max over n ≥ ⌈k/γ − 1⌉ of P[Binomial(n, β) > γn],   γ = 1 − (1 − β)/e^ε.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from deid_portal.engine.table.numbers import Numbers

# Rounding must never make a promise look better than it is.
ROUNDING = 1e-9
SHARES = tuple(percent / 100 for percent in range(1, 100))
LARGEST_GROUP = 1 << 20


@dataclass(frozen=True)
class SafeSampling:
    """A share to draw, and how many drawn records must show the same."""

    share: float
    k: int
    delta: float  # what it comes to, at most what was asked for

    @property
    def people_needed(self) -> float:
        """Return the group size of which `k` people are drawn on average."""
        return self.k / self.share


def largest_share(epsilon: float) -> float:
    """Return the largest β with ε ≥ −ln(1 − β)."""
    return -math.expm1(-epsilon)


@lru_cache(maxsize=64)
def find_sampling(epsilon: float, delta: float, share: float | None = None) -> SafeSampling:
    """Return the sampling that keeps the promise and shows the smallest groups of people.

    Nothing here looks at a table. Without a share, whole percents are tried; the one that needs
    the fewest people alike is taken, of equals the larger. Raises ValueError if there is none.
    """
    shares = [share] if share is not None else [s for s in SHARES if s <= largest_share(epsilon)]
    found = [
        SafeSampling(one, k, delta_of_sampling(k, one, epsilon))
        for one in shares
        if (k := smallest_k(one, epsilon, delta)) is not None
    ]
    if not found:
        raise ValueError("no sampling keeps this promise")
    return min(found, key=lambda sampling: (sampling.people_needed, -sampling.share))


def smallest_k(share: float, epsilon: float, delta: float) -> int | None:
    """Return the smallest k of 2 or more whose δ is small enough; δ falls as k grows."""
    low, high = 1, 2
    while delta_of_sampling(high, share, epsilon) > delta:
        low, high = high, 2 * high
        if high > LARGEST_GROUP:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if delta_of_sampling(middle, share, epsilon) > delta:
            low = middle
        else:
            high = middle
    return high


def delta_of_sampling(k: int, share: float, epsilon: float) -> float:
    """Return δ of the theorem, for ε ≥ −ln(1 − β)."""
    gamma = 1 - (1 - share) * math.exp(-epsilon)
    size = max(math.ceil(k / gamma - 1 - ROUNDING), 1)
    divergence = _divergence(gamma, share)
    worst = 0.0
    # Chernoff: the chance is at most e^(-n·D), so larger groups cannot be worse from there on.
    while math.exp(-size * divergence) > worst:
        worst = max(worst, _chance_above(size, share, gamma * size))
        size += 1
    return min(worst * (1 + ROUNDING), 1.0)


def _chance_above(size: int, share: float, bound: float) -> float:
    """Return P[Binomial(size, share) > bound]."""
    counts = np.arange(math.floor(bound - ROUNDING) + 1, size + 1)
    factorials = _log_factorials(size)
    logarithms = (
        factorials[size]
        - factorials[counts]
        - factorials[size - counts]
        + counts * math.log(share)
        + (size - counts) * math.log1p(-share)
    )
    return float(np.exp(logarithms).sum())


def _log_factorials(largest: int) -> Numbers:
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, largest + 1)))])


def _divergence(gamma: float, share: float) -> float:
    """Return the relative entropy of a coin of γ to one of β; γ is the larger."""
    low = (1 - gamma) * math.log((1 - gamma) / (1 - share)) if gamma < 1 else 0.0
    return gamma * math.log(gamma / share) + low
