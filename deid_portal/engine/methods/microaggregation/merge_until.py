"""Joining groups until the models hold (algorithm 1 of Soria-Comas et al., 2015).

Groups are made of similar people first. A group that breaks a rule is then joined with the group
nearest to it, until none breaks one; all people together are the last resort.
"""

from collections.abc import Callable

import numpy as np

from deid_portal.engine.methods.microaggregation import kernels
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import NUMBER, Integers, Numbers, Space
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Codes

Holds = Callable[[Groups], "np.typing.NDArray[np.bool_]"]  # one answer per group


def join_until(
    holds: Holds, space: Space, points: Numbers, groups: Groups, progress: Progress
) -> Groups:
    """Join groups until every one of them keeps every rule, or one is left."""
    while groups.count > 1:
        progress.report(0, groups.count, "protect", groups=groups.count)
        broken = ~holds(groups)
        if not broken.any():
            break
        centres = find_centres(space, points, groups)
        groups = groups.joined(_join_nearest(space, centres, np.flatnonzero(broken), progress))
    return groups


def find_centres(space: Space, points: Numbers, groups: Groups) -> Numbers:
    """Return the centre of each group: column × group."""
    order = np.argsort(groups.of_record, kind="stable")
    centres = np.empty((len(points), groups.count))
    for column, places in enumerate(points):
        known = np.isfinite(places)
        if space.kinds[column] == NUMBER:
            present = np.bincount(groups.of_record, known, groups.count)
            sums = np.bincount(groups.of_record, np.where(known, places, 0.0), groups.count)
            centres[column] = np.where(present > 0, sums / np.maximum(present, 1), kernels.GAP)
        else:
            centres[column] = kernels.settle_groups(space, column, places, order, groups.sizes)
    return centres


def _join_nearest(space: Space, centres: Numbers, broken: Integers, progress: Progress) -> Codes:
    """Return a new number for each group: those that break a rule take that of the nearest.

    A group that another group joined waits for the next round, as it may hold now.
    """
    count = centres.shape[1]
    boxes = kernels.build_boxes(space, centres, np.arange(count))
    numbers = np.arange(count, dtype=np.int32)
    touched = np.zeros(count, np.bool_)
    nearest = np.empty(2, np.int64)
    for done, group in enumerate(broken.tolist()):
        if touched[group]:
            continue
        progress.report(done, len(broken), "protect", groups=count)
        place = np.ascontiguousarray(centres[:, group])
        kernels.find_nearest(space, boxes, group, place, 2, nearest)
        other = int(nearest[0] if nearest[1] == group else nearest[1])
        if group not in nearest:
            other = int(nearest.min())
        numbers[group] = numbers[other]
        touched[[group, other]] = True
    return numbers
