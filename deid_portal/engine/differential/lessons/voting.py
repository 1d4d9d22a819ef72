"""A swarm that votes in secret (deck 001): local privacy in place of a trusted center.

Every agent determines the direction of steepest descent and votes for one of a few directions by
randomized response. The center estimates the true shares from the votes and moves all agents. A
single vote reveals little; together they find the minimum.
"""

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from deid_portal.engine.differential.local import estimate_by_inversion, randomize
from deid_portal.engine.randomness.transition_matrix import Transition
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Codes

LOWEST, HIGHEST = -2.0, 2.0


def rosenbrock(x1: float, x2: float) -> float:
    """Return 100(x2 − x1²)² + (x1 − 1)², f4 of the deck; its valley ends at (1, 1)."""
    return 100 * (x2 - x1**2) ** 2 + (x1 - 1) ** 2


@dataclass(frozen=True)
class Swarm:
    """Agents that search together by votes; without ε they vote truthfully."""

    agents: int
    directions: int
    epsilon: float | None = None

    def search(self, rounds: int, generator: np.random.Generator) -> tuple[float, float]:
        """Return where the swarm ends; only the starting places are random by the generator."""
        place = generator.uniform(LOWEST, HIGHEST, 2)
        offsets = generator.normal(0, 0.05, (self.agents, 2))
        for done in range(rounds):
            shares = self._hear(self._vote(place + offsets))
            step = 0.5 * (1 - done / rounds) ** 2 * (shares @ self._moves)
            place = np.clip(place + step, LOWEST, HIGHEST)
        return float(place[0]), float(place[1])

    @property
    def _moves(self) -> Numbers:
        angles = [2 * pi * one / self.directions for one in range(self.directions)]
        return np.array([(cos(angle), sin(angle)) for angle in angles])

    def _vote(self, places: Numbers) -> Codes:
        """Return for each agent the direction in which the ground falls most."""
        tried = places[:, np.newaxis, :] + 0.01 * self._moves
        heights = 100 * (tried[..., 1] - tried[..., 0] ** 2) ** 2 + (tried[..., 0] - 1) ** 2
        return np.asarray(heights.argmin(axis=1), np.int32)

    def _hear(self, votes: Codes) -> Numbers:
        """Return the share of each direction as the center estimates it."""
        if self.epsilon is None:
            return np.bincount(votes, minlength=self.directions) / self.agents
        transition = Transition.for_epsilon(self.epsilon, self.directions)
        heard = np.bincount(randomize(votes, transition), minlength=self.directions)
        return estimate_by_inversion(transition, heard)
