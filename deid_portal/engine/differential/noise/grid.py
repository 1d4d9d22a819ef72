"""Real numbers as whole multiples of a step that follows from declared bounds alone.

Rounding in sums of floats reveals information about the summands (I. Mironov, On significance of
the least significant bits for differential privacy, CCS 2012). So sums and noise are whole numbers,
and only the noisy result is converted back. The step is a power of two, so whole numbers of a usual
size stay exact.
"""

from dataclasses import dataclass
from math import frexp

import numpy as np

from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

FINE = 30  # bits of the largest number; 2³² of them still fit 63 bits


@dataclass(frozen=True)
class NoiseGrid:
    """Multiples of a step."""

    step: float

    @classmethod
    def for_size(cls, largest: float, bits: int = FINE) -> "NoiseGrid":
        """Return the grid on which numbers up to `largest`, of either sign, take so many bits."""
        _, exponent = frexp(largest)
        return cls(2.0 ** (exponent - bits))

    def encode(self, numbers: Numbers) -> Counts:
        """Return the nearest multiples, 0 for NaN."""
        return np.rint(np.nan_to_num(numbers, nan=0.0) / self.step).astype(np.int64)


WHOLE = NoiseGrid(1.0)
