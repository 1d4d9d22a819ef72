"""Groups in which a secret is spread as in the whole table.

The records are cut into slices by the order of their secrets, and every group takes one record of
each slice, the nearest to where the group starts. So every group has low, middle and high secrets
in nearly the same shares as all people have (algorithm 3 of Soria-Comas et al., 2015).
"""

import math

import numpy as np

from deid_portal.engine.methods.microaggregation import kernels
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import Integers, Numbers, Space
from deid_portal.engine.methods.microaggregation.merge_until import Holds, join_until
from deid_portal.engine.progress import Progress

WORK_BETWEEN_REPORTS = 1 << 22  # distances
GROWTH = 1.5
FEW = 0.02  # a share of groups that may be mended by joining


def find_groups(
    space: Space, points: Numbers, secrets: Numbers, size: int, progress: Progress
) -> Groups:
    """Divide the records into groups of one record of each of as many slices."""
    rows = points.shape[1]
    count = rows // size
    everyone: Integers = np.arange(rows)
    slices = np.empty(rows, np.int64)
    slices[np.argsort(secrets, kind="stable")] = everyone * size // rows
    left = np.bincount(slices, minlength=size).astype(np.int64)
    groups = np.full(rows, -1, np.int32)
    tally = kernels.tally_up(space, points, everyone)
    remaining = count
    unassigned = everyone
    place = np.empty(len(points))
    while remaining:
        kernels.find_centre(space, tally, place)
        shells = kernels.build_shells(space, points, unassigned, place)
        fewest = remaining // 2
        while remaining > fewest:
            progress.report(count - remaining, count, "protect")
            rounds = max(min(WORK_BETWEEN_REPORTS // rows, (remaining - fewest + 1) // 2), 1)
            remaining = kernels.take_spread_rounds(
                space,
                points,
                shells,
                tally,
                slices,
                left,
                remaining,
                rounds,
                count - remaining,
                groups,
            )
        unassigned = np.flatnonzero(groups < 0)
    return Groups(groups)


def find_holding_groups(
    holds: Holds, space: Space, points: Numbers, secrets: Numbers, k: int, progress: Progress
) -> Groups:
    """Try larger and larger groups until the rules hold; the last few are joined."""
    size = k
    while 2 * size <= points.shape[1]:
        groups = find_groups(space, points, secrets, size, progress)
        if np.mean(~holds(groups)) <= FEW:
            return join_until(holds, space, points, groups, progress)
        size = math.ceil(size * GROWTH)
    return Groups(np.zeros(points.shape[1], np.int32))
