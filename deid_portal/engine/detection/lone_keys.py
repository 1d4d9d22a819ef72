"""Counting unique rows by one key per row."""

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]


def count_lone_keys(keys: Keys) -> int:
    """Count the rows whose key no other row has; sorts the keys in place."""
    keys.sort()
    differs = np.ones(len(keys) + 1, bool)
    np.not_equal(keys[1:], keys[:-1], out=differs[1:-1])
    return int(np.count_nonzero(differs[1:] & differs[:-1]))
