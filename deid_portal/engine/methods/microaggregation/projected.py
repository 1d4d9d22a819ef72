"""Projected microaggregation: columns are projected onto one, which is divided optimally.

The projection is the first principal component, the direction in which the records differ most, or
the sum of all columns in standard deviations, which does as well if all are positively correlated.
"""

import numpy as np

from deid_portal.engine.methods.microaggregation import univariate_optimal
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import Numbers

PRINCIPAL_COMPONENT, SUM = "principal-component", "sum"


def find_groups(points: Numbers, k: int, projection: str = PRINCIPAL_COMPONENT) -> Groups:
    """Divide records, `points` holding column × record."""
    return univariate_optimal.find_groups(project_records(points, projection), k)


def project_records(points: Numbers, projection: str) -> Numbers:
    """Return one number per record; a gap stands in the middle of its column."""
    is_known = np.isfinite(points)
    known = np.where(is_known, points, 0.0)
    means = known.sum(axis=1) / np.maximum(is_known.sum(axis=1), 1)
    known = np.where(is_known, known - means[:, None], 0.0)
    if projection == SUM:
        return np.asarray(known.sum(axis=0))
    return np.asarray(_first_component(known) @ known)


def _first_component(points: Numbers) -> Numbers:
    """Return the direction of the greatest variance, its largest part positive."""
    _, directions = np.linalg.eigh(points @ points.T)
    first: Numbers = directions[:, -1]
    return np.asarray(first * np.sign(first[np.argmax(np.abs(first))]))
