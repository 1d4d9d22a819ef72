"""Randomly changed links: as many as stated; and answers with differential privacy."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.changing.random_pairs import draw_keys, exclusive_or
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.private_counts import (
    countable_degrees,
    histogram_of_degrees,
    private_degree_sequence,
    private_histogram,
)
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import PAIRS, karate, network_of, read_public


def apply(network: Network, name: str, *parameters: object) -> Network:
    method = NETWORK_METHODS[name](*parameters)
    draft = NetworkDraft.start(network, {}, {})
    return method.apply(draft, np.random.default_rng(1), Progress(None)).network


@given(PAIRS, PAIRS)
def test_the_noise_graph_is_the_symmetric_difference(
    pairs: list[tuple[int, int]], noise: list[tuple[int, int]]
) -> None:
    network, other = network_of(pairs, 10), network_of(noise, 10)
    found = {tuple(pair) for pair in exclusive_or(network, other.keys).pairs.tolist()}
    both = [{tuple(pair) for pair in own.pairs.tolist()} for own in (network, other)]
    assert found == both[0] ^ both[1]


@settings(max_examples=40, deadline=None)
@given(PAIRS, st.integers(0, 60), st.booleans())
def test_drawn_pairs_differ_and_avoid_links_if_asked(
    pairs: list[tuple[int, int]], count: int, without: bool
) -> None:
    network = network_of(pairs, 10)
    drawn = draw_keys(network, count, np.random.default_rng(1), without_links=without)
    free = 45 - (network.edges if without else 0)
    assert len(set(drawn.tolist())) == len(drawn) == min(count, free)
    if without:
        assert not np.isin(drawn, network.keys).any()


def test_replaced_links_are_as_many_as_said() -> None:
    network = read_public("ca-GrQc")
    changed = apply(network, "random-links", 0.1)
    assert changed.edges == network.edges
    assert np.isin(network.keys, changed.keys).sum() == network.edges - 1448


def test_switched_links_leave_every_degree() -> None:
    network = read_public("ca-GrQc")
    changed = apply(network, "random-links", 0.5, "switch")
    assert np.array_equal(changed.degrees, network.degrees)
    assert np.isin(network.keys, changed.keys).mean() < 0.7


def test_private_degrees_are_near_the_truth_and_noisy() -> None:
    network = read_public("ca-GrQc")
    exact = np.sort(network.degrees)
    first, second = (private_degree_sequence(network, 1.0) for _ in range(2))
    assert np.abs(first - exact).mean() < 0.2
    assert not np.array_equal(first, second)


def test_a_bound_holds_for_everybody_and_one_person_changes_little() -> None:
    """The histogram of a projected network moves by at most 2·bound + 1 when somebody goes."""
    network = karate()
    for bound in (2, 5):
        exact = histogram_of_degrees(countable_degrees(network, bound), bound)
        assert countable_degrees(network, bound).max() <= bound
        for gone in range(34):
            rest = np.delete(np.arange(34), gone)
            kept = network.pairs[(network.pairs != gone).all(axis=1)]
            place = np.searchsorted(rest, kept)
            names = [f"person {node}" for node in rest.tolist()]
            without = Network.from_pairs(33, place, labels=names)
            other = histogram_of_degrees(countable_degrees(without, bound), bound)
            assert np.abs(exact - other).sum() <= 2 * bound + 1


def test_people_known_by_links_alone_do_not_go_with_somebody_by_the_dozen() -> None:
    """Whoever only a hub knows leaves the files with it, and must not have been counted as 0."""
    star = Network.from_pairs(30, np.array([[0, leaf] for leaf in range(1, 30)]))
    counts = histogram_of_degrees(countable_degrees(star, 2), 2)
    assert counts.tolist() == [0, 2, 1]
    listed = replace(star, listed=np.arange(30) < 10)
    assert histogram_of_degrees(countable_degrees(listed, 2), 2).tolist() == [7, 2, 1]


def test_one_link_changes_sorted_degrees_by_two() -> None:
    exact = np.sort(karate().degrees)
    for gone in range(78):
        other = np.sort(karate().with_pairs(np.delete(karate().pairs, gone, axis=0)).degrees)
        assert np.abs(exact - other).sum() == 2


def test_a_histogram_has_a_place_for_everything_within_the_bound() -> None:
    assert len(private_histogram(karate(), 1.0, 5)) == 6
