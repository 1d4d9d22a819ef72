"""Counts and choices with noise from OpenDP, and what they cost.

OpenDP draws from a cryptographic source and computes with whole numbers, so neither a seed nor the
gaps between floats tell what was added. It is imported where it is needed, because that takes a
while.
"""

from collections.abc import Callable, Sequence

import numpy as np

from deid_portal.engine.table import Counts

CELLS_PER_CALL = 1 << 14  # OpenDP takes about ten seconds for a million
SLACK = 1 + 1e-12  # a little more noise than asked for, so that rounding never costs more


class PrivateCounter:
    """Answers questions about rows with noise and adds up the ε they cost.

    Each question is about a table one row of which may be added or taken away: it changes one
    count by one, and every score by at most one.
    """

    def __init__(self) -> None:
        self.spent = 0.0

    def count(self, counts: Counts, epsilon: float, report: Callable[[], None]) -> Counts:
        """Return counts of disjoint groups of rows, each with two-sided geometric noise."""
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_laplace
        from opendp.metrics import l1_distance
        from opendp.mod import enable_features

        enable_features("contrib")
        space = vector_domain(atom_domain(T="i64")), l1_distance(T="i64")
        add_noise = make_laplace(*space, scale=SLACK / epsilon)
        self.spent += float(add_noise.map(1))  # type: ignore[no-untyped-call]
        flat = counts.ravel()
        noisy: list[int] = []
        for start in range(0, len(flat), CELLS_PER_CALL):
            report()
            noisy += add_noise(flat[start : start + CELLS_PER_CALL].tolist())
        return np.array(noisy, np.int64).reshape(counts.shape)

    def choose(self, scores: Sequence[int], epsilon: float) -> int:
        """Return the place of a score that is, likely, among the highest."""
        from opendp.domains import atom_domain, vector_domain
        from opendp.measurements import make_noisy_max
        from opendp.measures import max_divergence
        from opendp.metrics import linf_distance
        from opendp.mod import enable_features

        enable_features("contrib")
        space = vector_domain(atom_domain(T="i64")), linf_distance(T="i64")
        choose = make_noisy_max(*space, max_divergence(), scale=2 * SLACK / epsilon)
        self.spent += float(choose.map(1))  # type: ignore[no-untyped-call]
        return int(choose(list(scores)))
