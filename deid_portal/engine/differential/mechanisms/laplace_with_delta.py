"""Laplace noise that makes use of a δ: the scale of deck 001, and the tight one beside it.

The deck takes b = Δ/(ε − ln(1 − δ)). That is valid and loose: what it spends is only 1 − √(1 − δ).
The smallest valid scale is b = Δ/(ε − 2 ln(1 − δ)), from δ(b) = 1 − e^((ε − Δ/b)/2) where Δ/b > ε.
Neither OpenDP nor dp-accounting has either; the noise itself is OpenDP's.
"""

from dataclasses import dataclass
from math import ceil, exp, expm1, log1p
from typing import Any, ClassVar

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.mechanisms.mechanism import NoiseMechanism, check_cost

LOOSE_WORDS = "This scale is looser than needed: it spends 1 − √(1 − δ) and not δ."


@dataclass(frozen=True)
class LaplaceWithDelta(NoiseMechanism):
    """Noise for whole numbers that neighbors change by `sensitivity` altogether."""

    sensitivity: int
    epsilon: float
    delta: float
    tight: bool = True

    name: ClassVar[str] = "laplace-with-delta"

    @property
    def price(self) -> PrivacyPrice:
        return PrivacyPrice(self.epsilon, self.delta)

    @property
    def scale(self) -> float:
        return self._pure.scale

    def half_width(self, confidence: float) -> int:
        return self._pure.half_width(confidence)

    def measurement(self) -> Any:
        spent = delta_spent_on_whole_numbers(self.scale, self.sensitivity, self.epsilon)
        check_cost(spent, self.delta)
        return self._pure.measurement()

    @property
    def _pure(self) -> DiscreteLaplace:
        """Return the same noise by its own ε, which is larger."""
        # On a coarse grid the privacy loss is discrete, which may need a larger scale.
        find = tight_scale if self.tight else deck_scale
        scale = find(self.sensitivity, self.epsilon, self.delta)
        while delta_spent_on_whole_numbers(scale, self.sensitivity, self.epsilon) > self.delta:
            scale *= 1 + 1e-3
        return DiscreteLaplace(self.sensitivity, self.sensitivity / scale)


def deck_scale(sensitivity: float, epsilon: float, delta: float) -> float:
    """Return b = Δ/(ε − ln(1 − δ)), proposition 5.1 of deck 001; LOOSE_WORDS go with it."""
    return sensitivity / (epsilon - log1p(-delta))


def tight_scale(sensitivity: float, epsilon: float, delta: float) -> float:
    """Return the smallest valid b = Δ/(ε − 2 ln(1 − δ))."""
    return sensitivity / (epsilon - 2 * log1p(-delta))


def delta_spent(scale: float, sensitivity: float, epsilon: float) -> float:
    """Return the smallest δ for which Laplace noise of this scale keeps ε."""
    return max(-expm1((epsilon - sensitivity / scale) / 2), 0.0)


def delta_spent_on_whole_numbers(scale: float, sensitivity: int, epsilon: float) -> float:
    """Return the same for noise on whole numbers: P₀[X ≤ m] − e^ε·P_Δ[X ≤ m].

    m is the last whole number that the shift makes more than e^ε times less likely.
    """
    last = ceil((sensitivity - epsilon * scale) / 2) - 1
    if last < 0:
        return 0.0
    ratio = exp(-1 / scale)
    below = 1 - ratio ** (last + 1) / (1 + ratio)
    return max(below - exp(epsilon) * ratio ** (sensitivity - last) / (1 + ratio), 0.0)
