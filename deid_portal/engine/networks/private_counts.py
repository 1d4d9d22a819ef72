"""Degrees of a network with differential privacy, by the mechanisms of the query desk.

Two notions of neighbors. Edge: networks that differ in one link; the nodes are public. Node:
networks that differ in one person with all links. Noise comes from a cryptographic source and has
no seed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.compiled.kernels import compiled
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.networks.network import Network

Counts = NDArray[np.int64]
PEOPLE_AT_ONCE = 10_000


def private_degree_sequence(
    network: Network, epsilon: float, tell: Callable[[], None] = lambda: None
) -> Counts:
    """Return the degrees in rising order with noise, put in order again (edge neighbors).

    One link changes two degrees by one, sorted or not (Hay et al., 2009), so the sensitivity is 2;
    that the true numbers rise is known, and fitting a rising line to the noisy ones removes most
    of the noise.
    """
    from scipy.optimize import isotonic_regression

    exact = np.sort(network.degrees).astype(np.int64)
    if not len(exact):
        return exact
    mechanism = DiscreteLaplace(2, epsilon)
    noisy = []
    # Noise is independent per number, so drawing in pieces changes nothing.
    for start in range(0, len(exact), PEOPLE_AT_ONCE):
        tell()
        noisy.append(mechanism.release(exact[start : start + PEOPLE_AT_ONCE]))
    rising = isotonic_regression(np.concatenate(noisy).astype(np.float64)).x
    return np.asarray(np.clip(np.rint(rising), 0, network.nodes - 1), np.int64)


def private_histogram(network: Network, epsilon: float, bound: int) -> Counts:
    """Return how many people have each degree from 0 to `bound`, with noise (node neighbors).

    Links are added one by one, in an order that does not depend on other nodes, as long as both
    ends have fewer than `bound`. One person then changes the histogram by at most 2·bound + 1
    (Day, Li and Lyu, 2016).
    """
    exact = histogram_of_degrees(countable_degrees(network, bound), bound)
    noisy = DiscreteLaplace(histogram_change(bound), epsilon).release(exact)
    return np.maximum(np.asarray(noisy, np.int64), 0)


def histogram_change(bound: int) -> int:
    """Return by how much one person changes the counts: its own, and two for each of its links."""
    return 2 * bound + 1


def countable_degrees(network: Network, bound: int) -> NDArray[np.int32]:
    """Return the degrees that are left when nobody may have more than `bound` links.

    Only people are counted who stay in the files if another person is removed: those on a list of
    people or, without a list, those with a link left. People known by links only vanish with their
    last link, and any number of them may depend on one person.
    """
    degrees = project_network(network, bound).degrees
    return degrees[degrees > 0 if network.listed is None else network.listed]


def project_network(network: Network, bound: int) -> Network:
    order = _stable_order(network)
    kept = _add_while_room(network.pairs[order], network.nodes, bound)
    return network.with_pairs(network.pairs[order][kept])


def histogram_of_degrees(degrees: NDArray[Any], most: int | None = None) -> Counts:
    size = int(degrees.max(initial=0)) if most is None else most
    return np.bincount(degrees, minlength=size + 1)[: size + 1].astype(np.int64)


def _stable_order(network: Network) -> NDArray[np.intp]:
    """Return links in an order that does not change for other links when a node is removed."""
    labels = network.labels
    if labels is None:
        ranks = np.arange(network.nodes)
    else:
        ranks = np.empty(network.nodes, np.int64)
        ranks[np.argsort(np.array(labels, dtype=object), kind="stable")] = np.arange(network.nodes)
    ends = np.sort(ranks[network.pairs], axis=1)
    return np.lexsort((ends[:, 1], ends[:, 0]))


@compiled
def _add_while_room(pairs: NDArray[np.int32], nodes: int, bound: int) -> NDArray[np.bool_]:
    used = np.zeros(nodes, np.int64)
    kept = np.zeros(len(pairs), np.bool_)
    for index in range(len(pairs)):
        one, other = pairs[index, 0], pairs[index, 1]
        if used[one] < bound and used[other] < bound:
            kept[index] = True
            used[one] += 1
            used[other] += 1
    return kept
