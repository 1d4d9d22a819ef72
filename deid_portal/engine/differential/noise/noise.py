"""Noise on a grid: a mechanism for whole numbers together with what its numbers mean."""

from dataclasses import dataclass
from math import ceil

import numpy as np

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.fields import OneOf
from deid_portal.engine.differential.mechanisms import NoiseMechanism
from deid_portal.engine.differential.mechanisms.discrete_gaussian import DiscreteGaussian
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.noise.grid import WHOLE, NoiseGrid
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

FINE_COUNTS = NoiseGrid(2.0**-20)
GEOMETRIC, LAPLACE, GAUSSIAN = "geometric", "laplace", "gaussian"

FOR_COUNTS = OneOf(
    name="mechanism",
    label="GridNoise",
    choices=(GEOMETRIC, LAPLACE, GAUSSIAN),
    labels=("Whole numbers (geometric)", "Laplace", "Gaussian, needs a δ"),
)
FOR_NUMBERS = OneOf(
    name="mechanism",
    label="GridNoise",
    choices=(LAPLACE, GAUSSIAN),
    labels=("Laplace", "Gaussian, needs a δ"),
)
FORMULAS = {
    GEOMETRIC: "P[noise = x] ∝ e^(−|x|/b), b = Δ/ε",
    LAPLACE: "noise ~ Laplace(b), b = Δ/ε",
    GAUSSIAN: "noise ~ N(0, σ²), σ the smallest with Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ) ≤ δ",
}


@dataclass(frozen=True)
class GridNoise:
    """Noise of one kind for numbers on a grid; `sensitivity` in the unit of the answer."""

    kind: str
    mechanism: NoiseMechanism
    grid: NoiseGrid
    sensitivity: float

    @classmethod
    def calibrate(
        cls,
        kind: str,
        price: PrivacyPrice,
        grid: NoiseGrid,
        l1: float,
        l2: float,
        rounding: float = 0,
    ) -> "GridNoise":
        """Return the least noise for answers that neighbors change by `l1` (or `l2`) at most.

        `rounding` is by how many steps of the grid rounding may add to that change.
        """
        if kind == GAUSSIAN:
            steps = l2 / grid.step + rounding
            gaussian = DiscreteGaussian(steps, price.epsilon, price.delta)
            return cls(kind, gaussian, grid, l2)
        laplace = DiscreteLaplace(ceil(l1 / grid.step - 1e-9) + ceil(rounding), price.epsilon)
        return cls(kind, laplace, grid, l1)

    @property
    def price(self) -> PrivacyPrice:
        return self.mechanism.price

    @property
    def scale(self) -> float:
        return self.mechanism.scale * self.grid.step

    def half_width(self, confidence: float) -> float:
        return self.mechanism.half_width(confidence) * self.grid.step

    def release(self, exact: Counts) -> Numbers:
        """Return noisy numbers in the unit of the answer."""
        return np.asarray(self.mechanism.release(exact) * self.grid.step, np.float64)


def grid_of_counts(kind: str) -> NoiseGrid:
    """Return the grid for counts: whole people with geometric noise, else a fine one."""
    return WHOLE if kind == GEOMETRIC else FINE_COUNTS


def on_grid(counts: Counts, grid: NoiseGrid) -> Counts:
    """Return whole counts as multiples of the step of a grid."""
    return np.asarray(counts, np.int64) * round(1 / grid.step)
