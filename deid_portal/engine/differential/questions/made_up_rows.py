"""What noisy steps make of a made-up table in which nothing matters.

The table follows from declared bounds and values alone, and its chance is known to everybody:
nothing here is private. It says before anything is spent how far odds are off by noise.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.table.numbers import Numbers

ROWS, RUNS = 200, 12  # of the table, and how often it is learned from


@dataclass(frozen=True)
class MadeUpRows:
    """Rows spread evenly, half of every kind in the class; `values` of each column, 0: numbers."""

    values: tuple[int, ...]
    rounds: int
    clip: float
    learning_rate: float

    @lru_cache(maxsize=256)  # noqa: B019 - small and frozen, for prices that are asked again
    def spread(self, noise: float, missed: float) -> float:
        """Return what 19 of 20 coefficients stay below, all of which are truly zero.

        `noise` is that of the mean gradient of a round; `missed` is how much a mean of gradients of
        length 1 varies with who is drawn.
        """
        chance = np.random.default_rng(1)
        inputs = self._draw(chance)
        moved = np.sqrt(noise**2 + missed * (inputs**2).mean(axis=0) / 4)[:, np.newaxis]
        weights = np.zeros((inputs.shape[1], RUNS))
        total = np.zeros_like(weights)
        for done in range(self.rounds):
            step = self._mean_gradient(inputs, weights)
            step += chance.normal(0, 1, weights.shape) * moved
            weights = weights - self.learning_rate * step
            total += weights if done >= self.rounds // 2 else 0.0
        found = np.abs(total[1:] / (self.rounds - self.rounds // 2))
        return float(np.quantile(found, CONFIDENCE)) if found.size else 0.0

    def _draw(self, chance: np.random.Generator) -> Numbers:
        parts = [np.ones((ROWS, 1))]
        for values in self.values:
            if values:
                drawn = chance.integers(values, size=ROWS)
                marks = drawn[:, np.newaxis] == np.arange(1, values)
                parts.append(marks.astype(np.float64))
            else:
                parts.append(chance.uniform(-1, 1, (ROWS, 1)))
        return np.hstack(parts)

    def _mean_gradient(self, inputs: Numbers, weights: Numbers) -> Numbers:
        chances = 1 / (1 + np.exp(-np.clip(inputs @ weights, -500, 500)))
        lengths = np.linalg.norm(inputs, axis=1)[:, np.newaxis]
        pulls = np.zeros_like(chances)
        for is_yes in (0.0, 1.0):
            pull = chances - is_yes
            cut = np.minimum(1.0, self.clip / np.maximum(np.abs(pull) * lengths, 1e-300))
            pulls += pull * cut / 2
        return np.asarray(inputs.T @ pulls / ROWS, np.float64)
