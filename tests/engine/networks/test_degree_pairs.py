"""Links with directions: everybody shares out- and in-degree with k - 1 others, counted apart."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from deid_portal.engine.networks import Network
from deid_portal.engine.networks.change_estimate import CountedNetwork
from deid_portal.engine.networks.changing.degree_pairs import find_degree_pairs, least_pair_cost
from deid_portal.engine.networks.first_draft import start_draft
from deid_portal.engine.networks.structure.comparison import compare_links
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import PAIRS, plan_of, protect, read_public_directed

WAYS: list[dict[str, str]] = [
    {},
    {"realization": "supergraph"},
    {"changes": "additions-deletions"},
]
Old = NDArray[np.int64]


def directed_of(pairs: Any, nodes: int = 10) -> Network:
    return Network.from_pairs(nodes, np.array(pairs, int).reshape(-1, 2), directed=True)


def degrees_of(network: Network) -> list[tuple[int, int]]:
    """Count links to and from everybody, by another library."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.nodes))
    graph.add_edges_from(network.pairs.tolist())
    return [(graph.out_degree(node), graph.in_degree(node)) for node in range(network.nodes)]


@settings(max_examples=40, deadline=None)
@given(PAIRS, st.integers(2, 4), st.sampled_from(WAYS), st.integers(0, 3))
def test_everybody_shares_both_numbers(
    pairs: list[tuple[int, int]], k: int, way: dict[str, str], number: int
) -> None:
    network = directed_of(pairs)
    outcome = protect(
        network,
        {"name": "k-degree", "k": k, **way},
        {"model": "k-degree", "k": k},
        network={"directed": True},
        number=number,
    )
    released, rows = outcome.released, outcome.rows
    assert released is not None
    assert rows is not None
    found = degrees_of(released)
    assert min(Counter(found).values()) >= k
    before = degrees_of(network)
    if way.get("changes") != "additions-deletions":
        for (out, inn), row in zip(found, rows.tolist(), strict=True):
            assert out >= before[row][0]
            assert inn >= before[row][1]
    if way.get("realization") == "supergraph":
        kept = {tuple(rows[list(pair)].tolist()) for pair in released.pairs.tolist()}
        assert {tuple(pair) for pair in network.pairs.tolist()} <= kept


def ways_to_group(people: list[int], k: int) -> Iterator[list[list[int]]]:
    """Yield every division into groups of at least k."""
    if not people:
        yield []
        return
    first, others = people[0], people[1:]
    for size in range(k - 1, len(others) + 1):
        for chosen in combinations(others, size):
            rest = [own for own in others if own not in chosen]
            for more in ways_to_group(rest, k):
                yield [[first, *chosen], *more]


def least_by_trying(old: Old, k: int, *, may_remove: bool) -> int:
    """Return the least cost of pairs shared by k, whatever their sums."""

    def cost(group: list[int]) -> int:
        own = old[group]
        aim = np.sort(own, axis=0)[len(own) // 2] if may_remove else own.max(axis=0)
        return int(np.abs(own - aim).sum())

    return min(sum(map(cost, groups)) for groups in ways_to_group(list(range(len(old))), k))


def test_pairs_are_near_the_best_that_an_exhaustive_search_finds() -> None:
    """The search does not ask for equal sums, so it may come lower than any network can."""
    sums = {False: [0, 0], True: [0, 0]}
    for number in range(40):
        chance = np.random.default_rng(number)
        links = chance.random((7, 7)) < 0.35
        np.fill_diagonal(links, False)
        old = np.column_stack([links.sum(axis=1), links.sum(axis=0)]).astype(np.int64)
        k = 2 + number % 2
        for may_remove, told in sums.items():
            outs, ins = old[:, 0], old[:, 1]
            found = find_degree_pairs(outs, ins, k, chance, may_remove=may_remove)
            new = list(zip(found.outs.tolist(), found.ins.tolist(), strict=True))
            assert min(Counter(new).values()) >= k
            assert found.outs.sum() == found.ins.sum()
            assert found.cost == np.abs(np.array(new) - old).sum()
            least = least_by_trying(old, k, may_remove=may_remove)
            assert least_pair_cost(outs, ins, k, may_remove=may_remove) <= found.cost
            assert found.cost >= least
            told[0] += found.cost
            told[1] += least
    assert all(1 <= found / least < 2 for found, least in sums.values())


@pytest.mark.parametrize(
    ("way", "most_changed"), [({}, 12_000), ({"changes": "additions-deletions"}, 9_000)]
)
def test_votes_keep_their_directions(way: dict[str, str], most_changed: int) -> None:
    votes = read_public_directed("wiki-Vote")
    plan = plan_of({"name": "k-degree", "k": 5, **way}, network={"directed": True})
    drafted = plan.methods[0].apply(
        start_draft(votes, plan), np.random.default_rng(3), Progress(None)
    )
    both = zip(drafted.network.degrees.tolist(), drafted.network.in_degrees.tolist(), strict=True)
    assert min(Counter(both).values()) >= 5
    changes = compare_links(votes, drafted.network)
    assert changes.before == 103_689
    counted = CountedNetwork(votes.nodes, votes.edges, votes.degrees, votes.in_degrees)
    said = plan.methods[0].estimate_changes(counted)
    assert said.least is not None
    assert said.most is not None
    changed = len(changes.added) + len(changes.removed)
    assert said.least <= changed <= min(said.most, most_changed)


def test_equal_people_stay_as_they_are() -> None:
    ring = directed_of([(node, (node + 1) % 6) for node in range(6)], 6)
    found = find_degree_pairs(
        ring.degrees, ring.in_degrees, 3, np.random.default_rng(1), may_remove=False
    )
    assert found.cost == 0
