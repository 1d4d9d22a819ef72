"""Links added and removed on top of a network, without rewriting it; compiled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.hash_slots import FREE, slot_of
from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.kernels import is_linked
from deid_portal.engine.networks.network import Network

SAME, ADDED, REMOVED = 0, 1, 2


class Ledger(NamedTuple):
    """A network as it was, and a hash table of the links that changed since."""

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    keys: NDArray[np.int64]
    states: NDArray[np.int8]
    directed: bool

    @property
    def added(self) -> NDArray[np.int64]:
        return np.asarray(self.keys[self.states == ADDED])

    @property
    def removed(self) -> NDArray[np.int64]:
        return np.asarray(self.keys[self.states == REMOVED])


def open_ledger(network: Network, changes: int) -> Ledger:
    """Return a ledger with room for so many changed links."""
    slots = 1 << int(8 * (changes + 64)).bit_length()
    keys, states = np.full(slots, FREE, np.int64), np.zeros(slots, np.int8)
    return Ledger(network.offsets, network.neighbors, keys, states, network.directed)


@compiled
def key_of(ledger: Ledger, one: int, other: int) -> Any:
    nodes = len(ledger.offsets) - 1
    if ledger.directed or one < other:
        return np.int64(one) * nodes + other
    return np.int64(other) * nodes + one


@compiled
def has_link(ledger: Ledger, one: int, other: int) -> bool:
    slot = slot_of(ledger.keys, key_of(ledger, one, other))
    if ledger.keys[slot] != FREE and ledger.states[slot] != SAME:
        return bool(ledger.states[slot] == ADDED)
    return bool(is_linked(ledger.offsets, ledger.neighbors, one, other))


@compiled
def set_link(ledger: Ledger, one: int, other: int, wanted: bool) -> None:
    key = key_of(ledger, one, other)
    slot = slot_of(ledger.keys, key)
    ledger.keys[slot] = key
    was = is_linked(ledger.offsets, ledger.neighbors, one, other)
    ledger.states[slot] = SAME if was == wanted else (ADDED if wanted else REMOVED)
