"""Auditing maxima: which values follow from largest values that were answered.

F. Chin, Security problems on inference control for SUM, MAX and MIN queries, JACM 33(3), 1986.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Chosen = NDArray[np.bool_]


def find_forced_people(asked: Sequence[Chosen], maxima: Sequence[float]) -> dict[int, float]:
    """Return the people whose number is certain: the only one who can reach an answered maximum."""
    limits = np.full(len(asked[0]) if asked else 0, np.inf)
    for chosen, largest in zip(asked, maxima, strict=True):
        limits[chosen] = np.minimum(limits[chosen], largest)
    forced = {}
    for chosen, largest in zip(asked, maxima, strict=True):
        able = np.flatnonzero(chosen & (limits >= largest))
        if len(able) == 1:
            forced[int(able[0])] = float(largest)
    return forced
