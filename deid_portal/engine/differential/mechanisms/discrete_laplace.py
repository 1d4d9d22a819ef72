"""The Laplace mechanism on whole numbers, also called two-sided geometric.

P[noise = x] ∝ e^(−|x|/b), b = Δ/ε. On a grid much finer than Δ it is Laplace noise for all
purposes, without its floats. C. Dwork, F. McSherry, K. Nissim, A. Smith, Calibrating noise to
sensitivity, TCC 2006; A. Ghosh, T. Roughgarden, M. Sundararajan, Universally utility-maximizing
privacy mechanisms, STOC 2009; drawn as in C. Canonne, G. Kamath, T. Steinke, The discrete Gaussian,
NeurIPS 2020.
"""

from dataclasses import dataclass
from math import ceil, exp, log
from typing import Any, ClassVar

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.mechanisms.mechanism import SLACK, NoiseMechanism, check_cost


@dataclass(frozen=True)
class DiscreteLaplace(NoiseMechanism):
    """Noise for whole numbers that neighbors change by `sensitivity` altogether (L1)."""

    sensitivity: int
    epsilon: float

    name: ClassVar[str] = "geometric"

    @property
    def price(self) -> PrivacyPrice:
        return PrivacyPrice(self.epsilon)

    @property
    def scale(self) -> float:
        return SLACK * self.sensitivity / self.epsilon

    def half_width(self, confidence: float) -> int:
        return discrete_laplace_tail(self.scale, 1 - confidence)

    def measurement(self) -> Any:
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import l1_distance
        from opendp.mod import enable_features

        enable_features("contrib")
        space = vector_domain(atom_domain(T="i64")), l1_distance(T="i64")
        add_noise: Any = make_laplace(*space, scale=self.scale)
        check_cost(float(add_noise.map(self.sensitivity)), self.epsilon)
        return add_noise


def discrete_laplace_tail(scale: float, chance: float) -> int:
    """Return the smallest m with P[|noise| > m] = 2a^(m+1)/(1+a) ≤ chance, a = e^(−1/scale)."""
    factor = chance * (1 + exp(-1 / scale)) / 2
    return max(ceil(-scale * log(factor) - 1 - 1e-9), 0)
