"""Choosing one of several candidates by a score: the exponential mechanism and report noisy max.

F. McSherry, K. Talwar, Mechanism design via differential privacy, FOCS 2007; R. McKenna, D.
Sheldon, Permute-and-flip, NeurIPS 2020 (which exponential noise amounts to, and which is never
worse). OpenDP draws both: the exponential mechanism is the largest score with Gumbel noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.mechanisms.mechanism import SLACK, check_cost
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class NoisyMax:
    """Reports which score is the largest once each has exponential noise.

    Neighbors change every score by at most `sensitivity`; `monotonic` says that they change all of
    them in the same direction, as counts when somebody is added, which halves the noise.
    """

    sensitivity: int
    epsilon: float
    monotonic: bool = False

    name: ClassVar[str] = "noisy-max"

    @property
    def price(self) -> PrivacyPrice:
        return PrivacyPrice(self.epsilon)

    @property
    def scale(self) -> float:
        return SLACK * (1 if self.monotonic else 2) * self.sensitivity / self.epsilon

    def measurement(self) -> Any:
        from opendp.measures import max_divergence

        choose = _noisy_max(max_divergence(), self.scale, self.monotonic)
        check_cost(float(choose.map(self.sensitivity)), self.epsilon)
        return choose

    def choose(self, scores: Sequence[int] | Counts) -> int:
        """Return the place of a score that is, likely, among the highest."""
        return int(self.measurement()([int(score) for score in scores]))

    def falls_short(self, others: int, chance: float) -> float:
        """Return a bound of how far the choice misses the best score, exceeded by this chance.

        `others` are the candidates beside the best. Each of them that misses it by m or more is
        chosen with the chance e^(−m/scale) at most, by either mechanism.
        """
        return max(utility_bound(self.scale, others, -log(chance)), 0.0) if others else 0.0


@dataclass(frozen=True)
class Exponential(NoisyMax):
    """Chooses a candidate with a chance that grows exponentially with its score."""

    name: ClassVar[str] = "exponential"

    def measurement(self) -> Any:
        from opendp.measures import zero_concentrated_divergence

        choose = _noisy_max(zero_concentrated_divergence(), self.scale, self.monotonic)
        # OpenDP states ε²/8, which is what ε comes to for a mechanism of bounded range.
        check_cost(float(choose.map(self.sensitivity)), self.epsilon**2 / 8)
        return choose

    def probabilities(self, scores: Numbers) -> Numbers:
        """Return the chance of each candidate: ∝ e^(score/scale)."""
        weights = np.exp((scores - scores.max()) / self.scale)
        return np.asarray(weights / weights.sum(), np.float64)


CHOOSING: dict[str, type[NoisyMax]] = {one.name: one for one in (NoisyMax, Exponential)}


def utility_bound(scale: float, candidates: int, t: float, best: int = 1) -> float:
    """Return a bound, exceeded with chance e^(−t), by which the choice misses the best score.

    scale·(ln(candidates/best) + t), where `best` of the candidates have the best score; the scale
    is 2Δ/ε. The logarithm is the natural one.
    """
    return scale * (log(candidates / best) + t)


def _noisy_max(measure: Any, scale: float, monotonic: bool) -> Any:
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_noisy_max
    from opendp.metrics import linf_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    metric = linf_distance(T="i64", monotonic=monotonic)
    return make_noisy_max(vector_domain(atom_domain(T="i64")), metric, measure, scale=scale)
