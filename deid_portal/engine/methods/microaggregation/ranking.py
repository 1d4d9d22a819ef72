"""Dividing the records of one column in the order of their values."""

from collections.abc import Callable

import numpy as np

from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import Integers, Numbers

Divide = Callable[[Numbers], Integers]  # sorted values -> where each group begins


def divide_in_order(places: Numbers, divide: Divide, k: int) -> Groups:
    """Divide records in the order of their places; those without one are a group of their own.

    If they are fewer than k, those with the highest values join them.
    """
    order = np.argsort(places, kind="stable")
    gaps = int(np.count_nonzero(~np.isfinite(places)))
    apart = max(gaps, k) if gaps else 0
    ranked = len(places) - apart
    if ranked < k:
        return Groups(np.zeros(len(places), np.int32))
    starts = np.zeros(len(places), np.int32)
    starts[divide(np.ascontiguousarray(places[order[:ranked]]))] = 1
    if apart:
        starts[ranked] = 1
    groups = np.empty(len(places), np.int32)
    groups[order] = np.cumsum(starts, dtype=np.int32) - np.int32(1)
    return Groups(groups)
