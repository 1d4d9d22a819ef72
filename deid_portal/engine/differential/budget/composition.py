"""What several answers cost together.

The prices of answers about the same people add up (sequential); answers about disjoint groups of
people cost as much as the most expensive one (parallel); post-processing costs nothing. With a δ
there are better bounds than the sum for many small prices. All bounds hold for adaptively chosen
questions; all but the first require that the prices are fixed beforehand, so a ledger from which
people spend freely uses the first.

C. Dwork, G. Rothblum, S. Vadhan, Boosting and differential privacy, FOCS 2010; I. Mironov, Rényi
differential privacy, CSF 2017; A. Koskela, J. Jälkö, A. Honkela, Computing tight differential
privacy guarantees using FFT, AISTATS 2020.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt, tanh
from typing import Any

from deid_portal.engine.differential.budget.accounting import (
    delta_left,
    privacy_loss_epsilon,
    renyi_epsilon,
)
from deid_portal.engine.differential.budget.price import PrivacyPrice

SEQUENTIAL, ADVANCED, RENYI, PRIVACY_LOSS = "sequential", "advanced", "renyi", "privacy-loss"
LABELS = {
    SEQUENTIAL: "added up",
    ADVANCED: "advanced composition",
    RENYI: "Rényi divergence",
    PRIVACY_LOSS: "privacy loss distribution",
}


@dataclass(frozen=True)
class Bound:
    """One valid bound on what several answers cost together."""

    name: str
    price: PrivacyPrice

    @property
    def label(self) -> str:
        return LABELS[self.name]


@dataclass(frozen=True)
class CompositionBounds:
    """Every valid bound; the first is the plain sum."""

    bounds: tuple[Bound, ...]

    @property
    def best(self) -> Bound:
        return min(self.bounds, key=lambda bound: bound.price.epsilon)

    def to_document(self) -> dict[str, Any]:
        return {
            "best": self.best.name,
            **self.best.price.to_document(),
            "bounds": {bound.name: bound.price.to_document() for bound in self.bounds},
        }


def compose_prices(prices: Sequence[PrivacyPrice], delta: float = 0.0) -> CompositionBounds:
    """Return every bound on these prices together that keeps within `delta`.

    The sum is always among them, with the δ it has; without a `delta` it is the only one.
    """
    found = [Bound(SEQUENTIAL, total_price(prices))]
    left = delta_left(prices, delta)
    if len(prices) > 1 and left > 0:
        own = list(prices)
        epsilons = {
            ADVANCED: advanced_epsilon(own, left),
            RENYI: renyi_epsilon(own, left),
            PRIVACY_LOSS: privacy_loss_epsilon(own, delta),
        }
        found += [
            Bound(name, PrivacyPrice(epsilon, delta))
            for name, epsilon in epsilons.items()
            if epsilon is not None
        ]
    return CompositionBounds(tuple(found))


def total_price(prices: Iterable[PrivacyPrice]) -> PrivacyPrice:
    """Return the price of answers about the same people."""
    prices = list(prices)
    return PrivacyPrice(
        sum(one.epsilon for one in prices), min(sum(one.delta for one in prices), 1.0)
    )


def parallel(prices: Iterable[PrivacyPrice]) -> PrivacyPrice:
    """Return the price of answers about groups fixed beforehand that nobody is in two of.

    For neighbors by adding or taking away. A person who is replaced may leave one group for
    another, which costs twice as much.
    """
    prices = list(prices)
    return PrivacyPrice(
        max((one.epsilon for one in prices), default=0.0),
        max((one.delta for one in prices), default=0.0),
    )


def advanced_epsilon(prices: Sequence[PrivacyPrice], delta: float) -> float:
    """Return Σ εᵢ·tanh(εᵢ/2) + √(2 ln(1/δ) Σ εᵢ²), Kairouz et al. (2015), theorem 3.5."""
    drift = sum(one.epsilon * tanh(one.epsilon / 2) for one in prices)
    return drift + sqrt(-2 * log(delta) * sum(one.epsilon**2 for one in prices))
