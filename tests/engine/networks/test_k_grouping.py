"""Groups of k people with counts of links, and networks that fit them."""

from math import comb, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine.networks.changing.node_groups import Grouping, find_grouping, sample_network
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import PAIRS, karate, network_of, protect

SILENT = Progress(None)


@settings(max_examples=40, deadline=None)
@given(PAIRS, st.integers(2, 5))
def test_groups_are_large_enough_and_count_every_link(pairs: list[tuple[int, int]], k: int) -> None:
    network = network_of(pairs, 10)
    grouping = find_grouping(network, k, 20, np.random.default_rng(1), SILENT)
    assert grouping.sizes.min() >= k
    assert grouping.sizes.sum() == 10
    for (one, other), links in zip(grouping.pairs.tolist(), grouping.links.tolist(), strict=True):
        ends = grouping.group_of[network.pairs]
        assert links == sum(sorted(own) == [one, other] for own in ends.tolist())
    assert grouping.links.sum() == network.edges
    worlds = sum(
        log(comb(room, links))
        for room, links in zip(
            grouping.possible_links.tolist(), grouping.links.tolist(), strict=True
        )
    )
    assert grouping.log_worlds == pytest.approx(worlds)


@settings(max_examples=40, deadline=None)
@given(PAIRS, st.integers(2, 5))
def test_every_sample_fits_the_counts(pairs: list[tuple[int, int]], k: int) -> None:
    network = network_of(pairs, 10)
    generator = np.random.default_rng(2)
    grouping = find_grouping(network, k, 5, generator, SILENT)
    sampled = network_of(sample_network(grouping, generator), 10)
    again = Grouping.of(sampled, grouping.group_of)
    assert np.array_equal(again.pairs, grouping.pairs)
    assert np.array_equal(again.links, grouping.links)


def test_every_possible_network_is_as_likely() -> None:
    """Two groups of two with one link within each and one between: 4 networks."""
    grouping = Grouping.of(network_of([(0, 1), (1, 2), (2, 3)], 4), np.array([0, 0, 1, 1]))
    generator = np.random.default_rng(3)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(2000):
        keys = tuple(network_of(sample_network(grouping, generator), 4).keys.tolist())
        counts[keys] = counts.get(keys, 0) + 1
    assert len(counts) == 4
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 16.3  # p = 0.001


def test_more_effort_leaves_fewer_possible_networks() -> None:
    worlds = [
        find_grouping(karate(), 4, effort, np.random.default_rng(1), SILENT).log_worlds
        for effort in (1, 300)
    ]
    assert worlds[1] < worlds[0]


def test_a_release_tells_groups_and_nothing_of_people() -> None:
    outcome = protect(karate(), {"name": "k-grouping", "k": 4}, {"model": "k-degree", "k": 4})
    assert outcome.solution
    people = [int(cell or 0) for cell in outcome.tables["groups"]["people"].cells()]
    assert sum(people) == 34
    assert min(people) == outcome.report.classes.smallest >= 4
    within = sum(int(cell or 0) for cell in outcome.tables["groups"]["links within"].cells())
    between = sum(int(cell or 0) for cell in outcome.tables["group-links"]["links"].cells())
    assert within + between == 78
