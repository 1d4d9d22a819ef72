"""Numbers for rules about amounts that fit a column: how coarse to show it, how far amounts lie.

What fits is what groups of that many people drawn from the table nearly always keep, so that a rule
with such numbers costs little where amounts and quasi-identifiers have nothing to do with each
other, and bites where they have.
"""

from dataclasses import dataclass
from functools import cached_property
from math import floor, log10

import numpy as np

from deid_portal.engine.risk.lone_values import ValueVariety
from deid_portal.engine.table.numbers import Numbers, decimals_of, numbers_of
from deid_portal.engine.table.table import Column, Counts

DRAWN_GROUPS = 2000
NEARLY_ALL = 0.05  # the share of groups that may fall short
FEW_LONE = 0.01  # the share of lone values that is left by the rounding that is proposed
STEPS_IN_MIDDLE = 5  # so many steps of the rounding the middle half of the people keep at least
SEED = 20261120  # constant, so that the same table is proposed the same; protects nobody
NICE = (1.0, 2.0, 5.0)


@dataclass(frozen=True)
class RoundedVariety:
    """How different the values of a column are once they are multiples of a base."""

    base: float
    variety: ValueVariety


@dataclass(frozen=True, eq=False)
class AmountColumn:
    """The numbers of a column that occur, in ascending order, and how often each does."""

    numbers: Numbers
    counts: Counts
    decimals: int

    @classmethod
    def of(cls, column: Column) -> "AmountColumn":
        numbers = numbers_of(column)
        present = np.flatnonzero(np.isfinite(numbers) & (column.counts > 0))
        order = present[np.argsort(numbers[present], kind="stable")]
        return cls(numbers[order], column.counts[order], decimals_of(column))

    @cached_property
    def variety(self) -> ValueVariety:
        return _variety(self.numbers, self.counts)

    @property
    def middle(self) -> float:
        """Return how far apart the ends of the middle half of the people lie."""
        low, high = self._at(np.array([0.25, 0.75]))
        return float(high - low)

    @cached_property
    def roundings(self) -> tuple[RoundedVariety, ...]:
        """Return what multiples of 1, 2, 5, 10, 20 and so on would leave, the finest first."""
        bases = _nice_numbers(10.0**-self.decimals, self.middle / STEPS_IN_MIDDLE)
        return tuple(RoundedVariety(base, self.rounded(base).variety) for base in bases)

    def rounded(self, base: float) -> "AmountColumn":
        steps, places = np.unique(np.rint(self.numbers / base), return_inverse=True)
        counts = np.bincount(places, self.counts, len(steps)).astype(np.int64)
        return AmountColumn(steps * base, counts, self.decimals)

    def proposed_base(self) -> float | None:
        """Return the finest rounding that leaves few lone values, else the coarsest that is usual.

        None where few values are lone as they are, or no rounding would leave any detail.
        """
        if self.variety.lone_share <= FEW_LONE or not self.roundings:
            return None
        enough = (own for own in self.roundings if own.variety.lone_share <= FEW_LONE)
        return next(enough, self.roundings[-1]).base

    def base_for(self, steps: int) -> float | None:
        """Return a base of which the middle half of the people keeps so many steps or more."""
        return _nice_below(self.middle / steps) or None

    def proposed_range(self, look_alikes: int) -> float:
        """Return how far the ends of nearly every group of so many people lie apart."""
        drawn = self._groups(look_alikes)
        return _nice_below(float(np.quantile(drawn[:, -1] - drawn[:, 0], NEARLY_ALL)))

    def proposed_distance(self, look_alikes: int, m: float) -> float:
        """Return within which distance of any amount nearly every group has 1 in m at most."""
        drawn = self._groups(look_alikes)
        allowed = max(int(look_alikes / m + 1e-9), 1)
        # If each run of `allowed + 1` neighbors in order is wider than 2 ε, no amount has more
        # than `allowed` within ε.
        if allowed + 1 > look_alikes:
            return 0.0
        widths = drawn[:, allowed:] - drawn[:, : look_alikes - allowed]
        return _nice_below(float(np.quantile(widths.min(axis=1), NEARLY_ALL)) / 2)

    def _groups(self, size: int) -> Numbers:
        """Return the amounts of groups of people drawn at random, each in ascending order."""
        drawn = np.random.default_rng(SEED).random((DRAWN_GROUPS, size))
        found: Numbers = np.sort(self._at(drawn), axis=1)
        return found

    def _at(self, shares: Numbers) -> Numbers:
        """Return the amount below which these shares of the people lie; 0 if there are none."""
        if not len(self.numbers):
            return np.zeros_like(shares)
        sums = np.cumsum(self.counts)
        places = np.searchsorted(sums, shares * sums[-1], "right")
        found: Numbers = self.numbers[np.minimum(places, len(self.numbers) - 1)]
        return found


def _variety(numbers: Numbers, counts: Counts) -> ValueVariety:
    return ValueVariety(int(counts.sum()), len(numbers), int((counts == 1).sum()))


def _nice_numbers(low: float, high: float) -> list[float]:
    """Return the numbers 1, 2 and 5 times a power of ten above `low` and up to `high`."""
    if not 0 < low < high:
        return []
    powers = range(floor(log10(low)), floor(log10(high)) + 1)
    found = (float(f"{nice * 10.0**power:.6g}") for power in powers for nice in NICE)
    return [number for number in found if low < number <= high * (1 + 1e-9)]


def _nice_below(number: float) -> float:
    """Return the largest number of the series that is not above this one; 0 for none."""
    if number <= 0:
        return 0.0
    power = 10.0 ** floor(log10(number))
    nice = max(own for own in NICE if own * power <= number * (1 + 1e-9))
    return float(f"{nice * power:.6g}")
