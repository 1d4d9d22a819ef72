"""Counts and choices with noise, and what they cost.

The noise comes from `differential/mechanisms`; this module adds up the ε spent.
"""

from collections.abc import Callable, Sequence

from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.mechanisms.exponential import NoisyMax
from deid_portal.engine.table.table import Counts


class PrivateCounter:
    """Answers questions about rows with noise and adds up the ε they cost.

    Each question is about a table one row of which may be added or taken away: it changes one
    count by one, and every score by at most one.
    """

    def __init__(self) -> None:
        self.spent = 0.0

    def count(self, counts: Counts, epsilon: float, report: Callable[[], None]) -> Counts:
        """Return counts of disjoint groups of rows, each with two-sided geometric noise."""
        self.spent += epsilon
        return DiscreteLaplace(1, epsilon).release(counts, report)

    def choose(self, scores: Sequence[int], epsilon: float) -> int:
        """Return the place of a score, drawn so that high scores are likely."""
        self.spent += epsilon
        return NoisyMax(1, epsilon).choose(scores)
