"""Pairs of links exchange ends, which keeps degrees and randomizes the structure.

Directed links exchange their targets, so that in- and out-degrees both stay.
"""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.networks.changing.link_ledger import Ledger, has_link, open_ledger, set_link
from deid_portal.engine.networks.kernels import is_either
from deid_portal.engine.networks.network import Network

TRIES_PER_PAIR = 10
TRIES_AT_ONCE = 1 << 18


def switch_links(
    network: Network, pairs: int, generator: np.random.Generator
) -> tuple[Network, int]:
    """Let so many pairs of links exchange ends; return how many links changed."""
    if network.edges < 2 or not pairs:
        return network, 0
    ledger = open_ledger(network, 2 * pairs)
    links = network.pairs.copy()
    done, tries = 0, TRIES_PER_PAIR * pairs
    while done < pairs and tries > 0:
        drawn = generator.integers(0, network.edges, (min(tries, TRIES_AT_ONCE), 2))
        tries -= len(drawn)
        done += _switch(ledger, links, drawn, pairs - done)
    return network.with_pairs(links), 2 * done


@compiled
def _switch(ledger: Ledger, links: NDArray[np.int32], drawn: NDArray[np.int64], wanted: int) -> int:
    done = 0
    for index in range(len(drawn)):
        if done == wanted:
            break
        one, other = drawn[index]
        a, b = links[one]
        c, d = links[other]
        if index & 1 and not ledger.directed:
            c, d = d, c
        if is_either(a, c, d) or is_either(b, c, d):
            continue
        if has_link(ledger, a, d):
            continue
        if has_link(ledger, c, b):
            continue
        set_link(ledger, a, b, False)
        set_link(ledger, c, d, False)
        set_link(ledger, a, d, True)
        set_link(ledger, c, b, True)
        links[one, 1] = d
        links[other, 0] = c
        links[other, 1] = b
        done += 1
    return done
