"""Figures about a table that only its owner may see."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from deid_portal.engine.table.numbers import Numbers

NOT_PRIVATE = (
    "This is not private: it was read from the table. Noise by it would give away what it depends "
    "on; declare bounds instead."
)


@dataclass(frozen=True)
class LocalSensitivity:
    """How much one person changes an answer in this very table (deck 004)."""

    answer: float
    without: tuple[float, ...]
    words: str = NOT_PRIVATE

    @property
    def value(self) -> float:
        return max((abs(self.answer - one) for one in self.without), default=0.0)


def local_sensitivity(
    numbers: Sequence[float], compute: Callable[[Numbers], float] = np.sum
) -> LocalSensitivity:
    """Return the answer with everybody and without each person. Only the owner may see it."""
    everybody = np.asarray(numbers, np.float64)
    without = tuple(float(compute(np.delete(everybody, one))) for one in range(len(everybody)))
    return LocalSensitivity(float(compute(everybody)), without)
