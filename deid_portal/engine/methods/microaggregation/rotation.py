"""Replacing the records of a group by others with the same mean and covariance.

The records of a group, as deviations from its mean, are turned by a random rotation of the space
of records that leaves the mean where it is (random orthogonal matrix masking; Ting, Fienberg &
Trottini, 2008). What comes out depends on the mean and the covariance of the group alone, so each
of its records is as likely one member's as another's, though no two are alike.
"""

import numpy as np

from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import Numbers
from deid_portal.engine.progress import Progress

RECORDS_AT_ONCE = 1 << 16


def rotate_groups(
    points: Numbers, groups: Groups, generator: np.random.Generator, progress: Progress
) -> Numbers:
    """Return column × record after every group was turned about its mean."""
    rotated = points.copy()
    order = np.argsort(groups.of_record, kind="stable")
    begins = np.cumsum(groups.sizes) - groups.sizes
    done = 0
    for size in np.unique(groups.sizes).tolist():
        own = begins[groups.sizes == size]
        for some in np.array_split(own, -(-len(own) * size // RECORDS_AT_ONCE)):
            progress.report(done, len(order), "protect")
            members = order[some[:, None] + np.arange(size)]  # group × member
            rotated[:, members] = _rotate(points[:, members], generator)
            done += members.size
    return rotated


def _rotate(points: Numbers, generator: np.random.Generator) -> Numbers:
    """Turn groups of equal size: column × group × member."""
    means = points.mean(axis=2, keepdims=True)
    _, count, size = points.shape
    if size == 1:
        return points
    across = _directions_without_mean(size)
    turns = across @ _random_rotations(count, size - 1, generator) @ across.T
    return np.asarray(means + np.einsum("gij,cgj->cgi", turns, points - means))


def _directions_without_mean(size: int) -> Numbers:
    """Return an orthonormal basis of the deviations from a mean: member × direction."""
    basis = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, :-1]]))[0]
    return np.asarray(basis[:, 1:])


def _random_rotations(count: int, size: int, generator: np.random.Generator) -> Numbers:
    """Return orthogonal matrices, all equally likely (Mezzadri, 2007)."""
    turns, triangles = np.linalg.qr(generator.normal(size=(count, size, size)))
    signs = np.sign(np.diagonal(triangles, axis1=1, axis2=2))
    return np.asarray(turns * signs[:, None, :])
