"""Places of keys in open hash tables, for compiled loops that keep one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import SPREAD, compiled

FREE = -1  # a place without a key


@compiled
def slot_of(keys: NDArray[np.int64], key: Any) -> Any:
    """Return the place of a key in an open hash table, or the free place to put it."""
    mask = np.uint64(len(keys) - 1)
    slot = ((np.uint64(key) * SPREAD) >> np.uint64(20)) & mask
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)
