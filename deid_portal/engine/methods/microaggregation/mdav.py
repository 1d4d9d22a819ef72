"""MDAV: groups of k around those who are farthest from the middle (Domingo-Ferrer & Torra, 2005).

The record farthest from the centre of all that are left and the k - 1 nearest to it are a group;
so are the record farthest from that one and its k - 1 nearest. Then the next two, until fewer than
3k are left; those become two groups, or one if they are fewer than 2k. Of equally distant records
the first counts.
"""

import numpy as np

from deid_portal.engine.methods.microaggregation import kernels
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import Integers, Numbers, Space
from deid_portal.engine.progress import Progress

WORK_BETWEEN_REPORTS = 1 << 24  # distances, if every record were looked at
BLOCK = 768  # records
FEWEST_IN_A_BLOCK = 8  # groups
NEVER_BLOCKED = 10_000  # records: fewer take less than a second


def find_groups(
    space: Space, points: Numbers, k: int, progress: Progress, *, blocked: bool = False
) -> Groups:
    """Divide the records, `points` holding column × record, into groups of at least k."""
    if blocked and points.shape[1] > NEVER_BLOCKED:
        return find_in_blocks(space, points, k, progress)
    return find_in_all(space, points, k, progress)


def find_in_all(space: Space, points: Numbers, k: int, progress: Progress) -> Groups:
    rows = points.shape[1]
    groups = np.full(rows, -1, np.int32)
    left: Integers = np.arange(rows)
    tally = kernels.tally_up(space, points, left)
    place = np.empty(len(points))
    number = 0
    while len(left) >= 2 * k:
        kernels.find_centre(space, tally, place)
        boxes = kernels.build_boxes(space, points, left)
        shells = kernels.build_shells(space, points, left, place)
        # Blocks that lost a third of their records and a centre that moved on are built anew.
        remaining, fewest = len(left), max(2 * k, 2 * len(left) // 3)
        while remaining >= fewest:
            progress.report(rows - remaining, rows, "protect")
            stop = max(remaining - WORK_BETWEEN_REPORTS // remaining, fewest)
            first = number
            number = kernels.take_rounds(
                space, points, boxes, shells, tally, k, remaining, stop, number, groups
            )
            remaining -= (number - first) * k
        left = np.flatnonzero(groups < 0)
    groups[left] = number
    return Groups(groups)


def find_in_blocks(space: Space, points: Numbers, k: int, progress: Progress) -> Groups:
    """Cut the records into blocks first; only those of a block can be in a group together."""
    rows = points.shape[1]
    groups = np.full(rows, -1, np.int32)
    members: Integers = np.arange(rows)
    smallest = FEWEST_IN_A_BLOCK * k
    begins = kernels.cut_records(space, points, members, max(BLOCK, 2 * smallest), smallest)
    number = 0
    for block in range(len(begins) - 1):
        progress.report(int(begins[block]), rows, "protect")
        number = kernels.take_blocks(
            space, points, members, begins, block, block + 1, k, number, groups
        )
    return Groups(groups)
