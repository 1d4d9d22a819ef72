"""The Gaussian mechanism, calibrated exactly and drawn on a fine grid.

σ is the smallest for which δ = Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) is small enough (B. Balle,
Y.-X. Wang, Improving the Gaussian mechanism, ICML 2018); dp-accounting finds it. OpenDP draws the
discrete Gaussian. Where σ is many steps of the grid, its chances are those of the rounded
continuous one but for a factor of about 1 ± 1/σ², σ in steps; TIGHTENED pays for that a hundred
times over.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from statistics import NormalDist
from typing import Any, ClassVar

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.mechanisms.mechanism import SLACK, NoiseMechanism, check_cost

TIGHTENED = 1 - 1e-9
FEWEST_STEPS = 1 << 14  # of the grid in σ, below which the above would not hold


@dataclass(frozen=True)
class DiscreteGaussian(NoiseMechanism):
    """Noise for whole numbers that neighbors change by a vector no longer than `sensitivity`."""

    sensitivity: float
    epsilon: float
    delta: float

    name: ClassVar[str] = "gaussian"

    @property
    def price(self) -> PrivacyPrice:
        return PrivacyPrice(self.epsilon, self.delta)

    @property
    def scale(self) -> float:
        return SLACK * self.sensitivity * analytic_sigma(self.epsilon, self.delta)

    def half_width(self, confidence: float) -> int:
        return ceil(NormalDist().inv_cdf((1 + confidence) / 2) * self.scale)

    def measurement(self) -> Any:
        check_cost(FEWEST_STEPS, self.scale)
        add_noise = draw_gaussian(self.scale)
        ratio = self.sensitivity / self.scale
        check_cost(float(add_noise.map(self.sensitivity)), ratio**2 / 2 * (1 + 1e-9))
        return add_noise


@lru_cache(maxsize=64)
def draw_gaussian(scale: float) -> Any:
    """Return OpenDP's discrete Gaussian for a list of whole numbers; many rounds share one."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    return make_gaussian(vector_domain(atom_domain(T="i64")), l2_distance(T="f64"), scale=scale)


@lru_cache(maxsize=1024)
def analytic_sigma(epsilon: float, delta: float) -> float:
    """Return σ for answers that neighbors change by 1."""
    from dp_accounting import get_sigma_gaussian

    return float(get_sigma_gaussian(epsilon * TIGHTENED, delta * TIGHTENED))
