"""A network keeps every link once and counts what it drops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid_portal.engine import InvalidTable
from deid_portal.engine.networks import Network

PAIRS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=40)


def network_of(pairs: list[tuple[int, int]], nodes: int = 8, directed: bool = False) -> Network:
    return Network.from_pairs(nodes, np.array(pairs, int).reshape(-1, 2), directed=directed)


@given(PAIRS)
def test_every_link_is_kept_once_and_every_pair_accounted_for(pairs: list[tuple[int, int]]) -> None:
    network = network_of(pairs)
    expected = {(min(p), max(p)) for p in pairs if p[0] != p[1]}
    assert {tuple(pair) for pair in network.pairs.tolist()} == expected
    assert network.intake.loops == sum(a == b for a, b in pairs)
    assert network.edges + network.intake.loops + network.intake.repeated == len(pairs)
    assert network.intake.isolated == 8 - len({node for pair in expected for node in pair})


@given(PAIRS)
def test_rows_of_neighbors_rise_and_agree_with_the_links(pairs: list[tuple[int, int]]) -> None:
    network = network_of(pairs)
    for node in range(8):
        row = network.neighbors[network.offsets[node] : network.offsets[node + 1]].tolist()
        linked = {b for a, b in pairs if a == node} | {a for a, b in pairs if b == node}
        assert row == sorted(linked - {node})


@given(PAIRS)
def test_directed_links_are_kept_both_ways(pairs: list[tuple[int, int]]) -> None:
    network = network_of(pairs, directed=True)
    expected = {p for p in pairs if p[0] != p[1]}
    assert {tuple(pair) for pair in network.pairs.tolist()} == expected
    assert network.in_degrees.tolist() == [sum(b == n for _, b in expected) for n in range(8)]
    assert np.array_equal(network.undirected.keys, network_of(pairs).keys)


@given(PAIRS, st.randoms(use_true_random=False))
def test_renumbering_changes_nothing_but_numbers(pairs: list[tuple[int, int]], random) -> None:  # type: ignore[no-untyped-def]
    order = list(range(8))
    random.shuffle(order)
    network = network_of(pairs)
    back = network.renumbered(np.array(order)).renumbered(np.argsort(order))
    assert np.array_equal(back.keys, network.keys)


def test_a_link_to_nobody_is_refused() -> None:
    with pytest.raises(InvalidTable, match="does not have"):
        network_of([(0, 8)])
