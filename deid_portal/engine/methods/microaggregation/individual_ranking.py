"""Individual ranking: the k lowest are a group, then the next k (Defays & Nanopoulos, 1993)."""

import numpy as np

from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import Numbers
from deid_portal.engine.methods.microaggregation.ranking import divide_in_order


def find_groups(places: Numbers, k: int) -> Groups:
    """Divide records by one place each; the last group takes those left over."""
    return divide_in_order(places, lambda values: np.arange(len(values) // k) * k, k)
