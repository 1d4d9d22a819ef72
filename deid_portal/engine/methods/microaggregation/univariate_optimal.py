"""The best groups for a single column, in time n · k (Hansen & Mukherjee, 2003).

In the order of their values, the best groups are stretches of k to 2k - 1 records: a longer one
could be cut without loss. So the best division of the first records ends with one of k stretches,
before which the best division of fewer records stands.
"""

import numpy as np

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import Integers, Numbers
from deid_portal.engine.methods.microaggregation.ranking import divide_in_order


def find_groups(places: Numbers, k: int) -> Groups:
    """Divide records by one place each, infinity for a gap."""
    return divide_in_order(places, lambda values: shortest_path(values, k), k)


@compiled
def shortest_path(values: Numbers, k: int) -> Integers:
    """Return where each of the best groups of sorted values begins."""
    count = len(values)
    cost = np.full(count + 1, np.inf)
    cost[0] = 0.0
    before = np.zeros(count + 1, np.int64)
    for end in range(k, count + 1):
        mean, squares = 0.0, 0.0
        for size in range(1, min(2 * k - 1, end) + 1):
            # Squares around the mean, one value more at a time (Welford, 1962).
            value = values[end - size]
            step = value - mean
            mean += step / size
            squares += step * (value - mean)
            if size >= k and cost[end - size] + squares < cost[end]:
                cost[end] = cost[end - size] + squares
                before[end] = end - size
    begins = np.empty(count // k, np.int64)
    place = len(begins)
    end = count
    while end > 0:
        end = before[end]
        place -= 1
        begins[place] = end
    return begins[place:].copy()
