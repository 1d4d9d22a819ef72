"""Links added and removed on top of a network, without rewriting it; compiled."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.kernels import SPREAD, compiled
from deid_portal.engine.networks.kernels import is_linked

FREE = -1
SAME, ADDED, REMOVED = 0, 1, 2


@compiled
def slot_of(keys: NDArray[np.int64], key: Any) -> Any:
    mask = np.uint64(len(keys) - 1)
    slot = (np.uint64(key) * SPREAD) >> np.uint64(20)
    slot &= mask
    while keys[slot] != FREE and keys[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@compiled
def key_of(nodes: int, one: int, other: int) -> Any:
    low, high = min(one, other), max(one, other)
    return np.int64(low) * nodes + high


@compiled
def has_link(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    keys: NDArray[np.int64],
    states: NDArray[np.int8],
    one: int,
    other: int,
) -> bool:
    slot = slot_of(keys, key_of(len(offsets) - 1, one, other))
    if keys[slot] != FREE and states[slot] != SAME:
        return bool(states[slot] == ADDED)
    return bool(is_linked(offsets, neighbors, one, other))


@compiled
def set_link(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    keys: NDArray[np.int64],
    states: NDArray[np.int8],
    one: int,
    other: int,
    wanted: bool,
) -> None:
    key = key_of(len(offsets) - 1, one, other)
    slot = slot_of(keys, key)
    keys[slot] = key
    was = is_linked(offsets, neighbors, one, other)
    states[slot] = SAME if was == wanted else (ADDED if wanted else REMOVED)
