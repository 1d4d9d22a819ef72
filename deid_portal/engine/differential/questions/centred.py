"""Sums of numbers around the middle of their bounds, and ratios of noisy sums.

Around the middle a row weighs half the width of the bounds at most, wherever these lie; so the mean
of a column is the middle plus a ratio of two noisy sums, and gets the least noise.
"""

from dataclasses import dataclass

import numpy as np

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.noise.grid import NoiseGrid
from deid_portal.engine.differential.noise.noise import FINE_COUNTS, GridNoise, on_grid
from deid_portal.engine.differential.setting import PrivacySetting
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class CentredSum:
    """The sum of numbers each at most `reach` from zero."""

    reach: float

    @property
    def grid(self) -> NoiseGrid:
        return NoiseGrid.for_size(self.reach)

    def noise(self, kind: str, price: PrivacyPrice, setting: PrivacySetting) -> GridNoise:
        # A replaced number may move from one end to the other; an added one counts by one end.
        rows = setting.rows_per_person
        change = rows * self.reach * (2 if setting.replaces else 1)
        return GridNoise.calibrate(kind, price, self.grid, change, change, rounding=rows)

    def measure(self, numbers: Numbers) -> Counts:
        # The middle of the bounds is rounded, so the ends may lie slightly further away.
        within = np.clip(numbers, -self.reach, self.reach)
        return np.array([self.grid.encode(within).sum()])


def count_noise(kind: str, price: PrivacyPrice, setting: PrivacySetting) -> GridNoise:
    """Return the noise of how many numbers there are."""
    change = setting.rows_per_person
    return GridNoise.calibrate(kind, price, FINE_COUNTS, change, change)


def measure_count(numbers: Numbers) -> Counts:
    return on_grid(np.array([(~np.isnan(numbers)).sum()]), FINE_COUNTS)


def ratio(total: float, count: float, reach: float) -> float:
    """Return a mean of numbers within ±reach from noisy sums; at least one row is assumed."""
    return float(np.clip(total / max(count, 1.0), -reach, reach))


def ratio_interval(
    total: float, total_width: float, count: float, count_width: float, reach: float
) -> tuple[float, float]:
    """Return all ratios of a sum and a count that are both within their half widths."""
    fewest, most = max(count - count_width, 1.0), count + count_width
    if most < 1:
        return -reach, reach
    low, high = total - total_width, total + total_width
    ends = (min(low / fewest, low / most), max(high / fewest, high / most))
    return max(ends[0], -reach), min(ends[1], reach)


def ratio_width(total_width: float, count_width: float, reach: float, rows: int) -> float:
    """Return how far a ratio of noisy sums is off at most, and its interval is wide, among `rows`.

    A sum T that is off by s and a count c that is off by k give an interval of half width
    (s·c + |T|·k)/(c² − k²) at most; it is widest for c = rows − k and |T| = reach·rows + s. Of more
    rows it is shorter.
    """
    count = rows - count_width
    if count <= max(count_width, 1.0):
        return 2 * reach
    total = reach * rows + total_width
    width = (total_width * count + total * count_width) / (count**2 - count_width**2)
    return min(width, 2 * reach)


def shared_confidence(confidence: float, parts: int) -> float:
    """Return the confidence that several parts must have each, for all to hold with this one."""
    return 1 - (1 - confidence) / parts
