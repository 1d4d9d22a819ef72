"""Transparency: undoing a masking method that is known.

V. Torra, Guide to data privacy, 2022: a method must hold although everybody knows how it works.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidPlan

Shares = NDArray[np.float64]


def expect_randomized_shares(chances: Shares, shares: Shares) -> Shares:
    """Return the shares after randomizing: Pᵀ π, since the rows of P add up to 1."""
    return np.asarray(chances.T @ shares)


def recover_shares(chances: Shares, observed: Shares) -> Shares:
    """Return the original shares of values that were changed with known chances (PRAM).

    `chances` holds a row per original value: how likely it is shown as each value.
    """
    if np.linalg.matrix_rank(chances) < len(chances):
        raise InvalidPlan("These chances cannot be undone: two values are changed alike.")
    return np.asarray(np.linalg.solve(chances.T, observed))
