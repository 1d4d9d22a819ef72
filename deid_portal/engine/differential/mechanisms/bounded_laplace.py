"""Laplace noise within an interval: drawn again until the result lies in it (deck 001).

It keeps ε only if Δ is the whole width of the interval: near the ends the density is scaled up, and
for a smaller Δ that costs more than ε (Δ = 0.1 on [0, 1] at ε = 1 comes to 1.49). So anything else
is refused; noise first and moving into the interval afterwards is free and usually better.

Neither OpenDP nor dp-accounting has it. The time of drawing again until it fits would reveal
something; choosing a point of a grid with the chances e^(−|x − y|/b) has the same distribution and
takes constant time, by OpenDP's Gumbel noise.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.mechanisms.exponential import Exponential
from deid_portal.engine.differential.mechanisms.mechanism import SLACK
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

SCORE_UNIT = 1 << 20


@dataclass(frozen=True)
class BoundedLaplace:
    low: float
    high: float
    sensitivity: float
    epsilon: float
    steps: int = 1000

    name: ClassVar[str] = "bounded-laplace"

    def __post_init__(self) -> None:
        if self.sensitivity != self.high - self.low:
            raise InvalidPlan(
                "Laplace noise drawn again until it fits is private only if one row may move the "
                "answer over the whole interval; add noise first and move the result into the "
                "interval instead."
            )

    @property
    def price(self) -> PrivacyPrice:
        return PrivacyPrice(self.epsilon)

    @property
    def scale(self) -> float:
        return SLACK * self.sensitivity / self.epsilon

    def release(self, exact: float) -> float:
        """Return a point of the interval, of `steps` + 1; points near `exact` are likelier."""
        return float(self._points()[self.chooser.choose(self.scores(exact))])

    @property
    def chooser(self) -> Exponential:
        """Return what chooses a point: e^(score/scale) is the density."""
        return Exponential(SCORE_UNIT, 2 * self.epsilon / SLACK)

    def scores(self, exact: float) -> Counts:
        """Return minus the distance of each point, in whole steps. Not to be shown."""
        distances = np.abs(self._points() - np.clip(exact, self.low, self.high))
        steps = np.rint(distances / (self.high - self.low) * SCORE_UNIT)
        return np.asarray(-steps, np.int64)

    def _points(self) -> Numbers:
        return np.linspace(self.low, self.high, self.steps + 1)


def bounded_laplace_epsilon(width: float, sensitivity: float, scale: float) -> float:
    """Return the ε that Laplace noise kept within an interval by drawing again really has.

    The worst of all places x for the answer, its neighbor within Δ, and what is shown.
    """
    places = np.linspace(0, width, 2001)
    inside = 1 - (np.exp(-places / scale) + np.exp(-(width - places) / scale)) / 2
    shifted = np.interp(np.minimum(places + sensitivity, width), places, inside)
    moved = np.minimum(sensitivity, width - places)
    return float(np.max(np.abs(np.log(shifted / inside)) + moved / scale))
