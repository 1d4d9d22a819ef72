"""The base of all mechanisms that add noise."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.table.table import Counts

CELLS_PER_CALL = 1 << 14  # OpenDP takes about ten seconds for a million
SLACK = 1 + 1e-12


class NoiseMechanism(ABC):
    """Adds independent noise to whole numbers; its price is fixed when it is constructed."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def price(self) -> PrivacyPrice: ...

    @property
    @abstractmethod
    def scale(self) -> float:
        """Return the scale of the noise: b of Laplace, σ of Gauss."""

    @abstractmethod
    def half_width(self, confidence: float) -> int:
        """Return the smallest number that the noise of one cell exceeds with 1 − confidence."""

    @abstractmethod
    def measurement(self) -> Any:
        """Return OpenDP's own object, checked to cost no more than the price."""

    def release(self, exact: Counts, report: Callable[[], None] = lambda: None) -> Counts:
        """Return the numbers with noise; this is the only step after which they may be shown."""
        add_noise = self.measurement()
        flat = exact.ravel()
        noisy: list[int] = []
        for start in range(0, len(flat), CELLS_PER_CALL):
            report()
            noisy += add_noise(flat[start : start + CELLS_PER_CALL].tolist())
        return np.array(noisy, np.int64).reshape(exact.shape)


def check_cost(costs: float, paid: float) -> None:
    """Raise if OpenDP states a higher price than is charged, which would be a programming error."""
    if not costs <= paid:
        raise AssertionError("the noise would cost more than its price")
