"""Links drawn at random: pairs of nodes that are linked, or not, each as likely as any other."""

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.networks.network import Network


def count_pairs(network: Network) -> int:
    """Return how many links there could be."""
    ordered = network.nodes * (network.nodes - 1)
    return ordered if network.directed else ordered // 2


def draw_keys(
    network: Network, count: int, generator: np.random.Generator, *, without_links: bool
) -> NDArray[np.int64]:
    """Draw so many different pairs as numbers of links; only pairs without a link if so asked."""
    free = count_pairs(network) - (network.edges if without_links else 0)
    count = min(count, free)
    if count * 2 > free:
        return _draw_from_all(network, count, generator, without_links)
    drawn = np.zeros(0, np.int64)
    while len(drawn) < count:
        ends = generator.integers(0, network.nodes, (2 * (count - len(drawn)) + 16, 2))
        keys = _keys_of(network, ends[ends[:, 0] != ends[:, 1]])
        if without_links:
            keys = keys[~np.isin(keys, network.keys)]
        drawn = _distinct(np.concatenate([drawn, keys]))
    return drawn[:count]


def _draw_from_all(
    network: Network, count: int, generator: np.random.Generator, without_links: bool
) -> NDArray[np.int64]:
    """Draw from a list of all pairs; used if most of them are wanted."""
    first, second = np.nonzero(~np.eye(network.nodes, dtype=np.bool_))
    keys = np.unique(_keys_of(network, np.column_stack([first, second])))
    if without_links:
        keys = keys[~np.isin(keys, network.keys)]
    return generator.choice(keys, count, replace=False) if count else keys[:0]


def _keys_of(network: Network, ends: NDArray[np.int64]) -> NDArray[np.int64]:
    ends = ends if network.directed else np.sort(ends, axis=1)
    return ends[:, 0].astype(np.int64) * network.nodes + ends[:, 1]


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each number once, in the order they came."""
    _, first = np.unique(keys, return_index=True)
    return keys[np.sort(first)]


def with_keys(network: Network, keys: NDArray[np.int64]) -> Network:
    return network.with_pairs(np.column_stack([keys // network.nodes, keys % network.nodes]))


def exclusive_or(network: Network, noise: NDArray[np.int64]) -> Network:
    """Return G ⊕ g: the links that only one of the two has."""
    return with_keys(network, np.setxor1d(network.keys, noise, assume_unique=True))
