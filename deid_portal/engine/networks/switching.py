"""Pairs of links that exchange ends: degrees stay, structure goes."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.kernels import compiled
from deid_portal.engine.networks.kernels import is_either
from deid_portal.engine.networks.link_ledger import FREE, has_link, set_link
from deid_portal.engine.networks.network import Network

TRIES_PER_PAIR = 10
TRIES_AT_ONCE = 1 << 18


def switch_links(
    network: Network, pairs: int, generator: np.random.Generator
) -> tuple[Network, int]:
    """Let so many pairs of links exchange ends; return how many links changed."""
    if network.edges < 2 or not pairs:
        return network, 0
    slots = 1 << int(16 * (pairs + 16)).bit_length()
    keys, states = np.full(slots, FREE, np.int64), np.zeros(slots, np.int8)
    links = network.pairs.copy()
    done, tries = 0, TRIES_PER_PAIR * pairs
    while done < pairs and tries > 0:
        drawn = generator.integers(0, network.edges, (min(tries, TRIES_AT_ONCE), 2))
        tries -= len(drawn)
        done += _switch(
            network.offsets, network.neighbors, keys, states, links, drawn, pairs - done
        )
    return network.with_pairs(links), 2 * done


@compiled
def _switch(
    offsets: NDArray[np.int64],
    neighbors: NDArray[np.int32],
    keys: NDArray[np.int64],
    states: NDArray[np.int8],
    links: NDArray[np.int32],
    drawn: NDArray[np.int64],
    wanted: int,
) -> int:
    done = 0
    for index in range(len(drawn)):
        if done == wanted:
            break
        one, other = drawn[index]
        a, b = links[one]
        c, d = links[other]
        if index & 1:
            c, d = d, c
        if is_either(a, c, d) or is_either(b, c, d):
            continue
        if has_link(offsets, neighbors, keys, states, a, d):
            continue
        if has_link(offsets, neighbors, keys, states, c, b):
            continue
        set_link(offsets, neighbors, keys, states, a, b, False)
        set_link(offsets, neighbors, keys, states, c, d, False)
        set_link(offsets, neighbors, keys, states, a, d, True)
        set_link(offsets, neighbors, keys, states, c, b, True)
        links[one, 1] = d
        links[other, 0] = c
        links[other, 1] = b
        done += 1
    return done
