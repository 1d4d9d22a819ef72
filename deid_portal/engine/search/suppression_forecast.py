"""Foreseeing how many records a combination of levels loses, from the checks made so far."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.search.lattice import Levels

RIDGE = 0.3
# Added before taking logarithms, so that differences of a few records weigh little.
SMOOTHING_RECORDS = 10


class SuppressionForecast:
    """The logarithm of lost records as a sum of amounts, one for every level that is passed.

    The amounts are fitted to all checks by least squares, updated with each check. The forecast
    only decides where the search looks next; no combination is ruled out by it.
    """

    def __init__(self, heights: Levels) -> None:
        self._starts = [sum(heights[:column]) for column in range(len(heights))]
        length = sum(heights) + 1  # the last amount is that of level 0 everywhere
        self._inverse = np.eye(length) / RIDGE
        self._amounts = np.zeros(length)

    @staticmethod
    def scale(records: float) -> float:
        return math.log(records + SMOOTHING_RECORDS)

    def learn(self, levels: Levels, lost: int) -> None:
        """Take note of a check (recursive least squares)."""
        passed = self._passed(levels)
        column = self._inverse[:, passed].sum(axis=1)
        gain = column / (1 + column[passed].sum())
        self._amounts += gain * (self.scale(lost) - self._amounts[passed].sum())
        self._inverse -= np.outer(gain, column)

    def expect(self, levels: Levels) -> float:
        """Return the logarithm to be expected."""
        return float(self._amounts[self._passed(levels)].sum())

    def drops(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return by how much each step up lowers it, one column after the other."""
        ends = [*self._starts[1:], len(self._amounts) - 1]
        parts = [-self._amounts[self._starts[column] : ends[column]] for column in columns]
        return np.concatenate([np.zeros(0), *parts])

    def _passed(self, levels: Levels) -> list[int]:
        steps = zip(self._starts, levels, strict=True)
        passed = [start + step for start, level in steps for step in range(level)]
        return [*passed, len(self._amounts) - 1]
