"""The construction by which the literature shows that k-confusion can be reached."""

import numpy as np
from numpy.typing import NDArray

Shares = NDArray[np.float64]


def spread_on_axes(points: Shares) -> Shares:
    """Return records that confuse a whole cluster and keep its mean and variance (Torra, 2022).

    `points` are the numbers of the cluster: record × column. On the axis of each column two records
    stand at equal distances to both sides of the mean, so far out that the column's variance (n - 1
    in the denominator) stays. They depend on mean and variance only, so each is equally likely to
    belong to any member.
    """
    columns = points.shape[1]
    reach = points.std(axis=0, ddof=1) * np.sqrt((2 * columns - 1) / 2)
    ends = np.concatenate([np.diag(reach), -np.diag(reach)])
    return np.asarray(points.mean(axis=0) + ends, np.float64)
