"""k-degree: everybody shares their number of links, at nearly the least cost there is."""

from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan
from deid_portal.engine.networks.changing.core_degrees import Core
from deid_portal.engine.networks.changing.draft import NetworkDraft
from deid_portal.engine.networks.methods.k_degree import KDegreeRelease
from deid_portal.engine.networks.network import Network
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import (
    PAIRS,
    as_graph,
    karate,
    network_of,
    plan_of,
    protect,
    read_public,
    smallest_degree_class,
)


def apply(network: Network, method: KDegreeRelease) -> tuple[Network, dict[str, object]]:
    draft = method.apply(
        NetworkDraft.start(network, {}, {}), np.random.default_rng(1), Progress(None)
    )
    return draft.network, dict(draft.steps[-1])


@pytest.mark.parametrize("changes", ["additions", "additions-deletions"])
@pytest.mark.parametrize("k", [2, 5, 10, 25])
def test_co_authors_are_protected_at_the_least_cost(changes: str, k: int) -> None:
    network = read_public("ca-GrQc")
    released, step = apply(network, KDegreeRelease(k, changes))
    assert smallest_degree_class(released) >= k
    cost = int(np.abs(released.degrees - network.degrees).sum())
    assert cost == step["degrees_changed_by"]
    assert cost <= 1.1 * step["least"]  # type: ignore[operator]
    if changes == "additions":
        assert (released.degrees >= network.degrees).all()


@pytest.mark.parametrize(
    ("k", "most", "bound"), [(2, 16, 14), (5, 98, 92), (10, 316, 268), (25, 888, 804)]
)
def test_adding_alone_is_held_against_what_adding_can_reach(k: int, most: int, bound: int) -> None:
    """For k = 10 no supergraph comes within 1.1 of the 232 that degrees alone would take."""
    network = read_public("ca-GrQc")
    released, step = apply(network, KDegreeRelease(k, realization="supergraph"))
    assert np.isin(network.keys, released.keys).all()
    assert smallest_degree_class(released) >= k
    assert step["least_by_adding"] == bound
    assert bound <= step["degrees_changed_by"] <= most  # type: ignore[operator]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12),
    st.sets(st.integers(0, 5), min_size=1, max_size=5),
    st.integers(2, 3),
    st.integers(0, 7),
)
def test_no_supergraph_is_cheaper_than_the_bound(
    pairs: list[tuple[int, int]], core: set[int], k: int, price: int
) -> None:
    """Compared with every network of six people that has all the links."""
    network = network_of(pairs, 6)
    inside = np.isin(np.arange(6), list(core))
    bound = Core.of(network, inside, k).propose(price).bound
    graph = as_graph(network)
    missing = list(nx.non_edges(graph))
    for size in range(len(missing) + 1):
        for added in combinations(missing, size):
            degrees = Counter(dict(graph.degree()))
            degrees.update(node for link in added for node in link)
            if min(Counter(degrees.values()).values()) >= k:
                assert bound <= 2 * size
                return


@pytest.mark.parametrize("name", ["ca-GrQc", "ego-Facebook", "wiki-Vote"])
def test_a_supergraph_keeps_every_link(name: str) -> None:
    network = read_public(name)
    released, _ = apply(network, KDegreeRelease(5, realization="supergraph"))
    assert np.isin(network.keys, released.keys).all()
    assert smallest_degree_class(released) >= 5


@settings(max_examples=60, deadline=None)
@given(
    PAIRS,
    st.integers(2, 6),
    st.sampled_from(["additions", "additions-deletions"]),
    st.sampled_from(["optimal", "greedy"]),
)
def test_any_network_is_protected(
    pairs: list[tuple[int, int]], k: int, changes: str, algorithm: str
) -> None:
    released, _ = apply(network_of(pairs, 10), KDegreeRelease(k, changes, algorithm))
    assert smallest_degree_class(released) >= k
    assert released.nodes == 10


@settings(max_examples=30, deadline=None)
@given(PAIRS, st.integers(2, 6))
def test_a_supergraph_of_any_network_is_found(pairs: list[tuple[int, int]], k: int) -> None:
    network = network_of(pairs, 10)
    released, _ = apply(network, KDegreeRelease(k, realization="supergraph"))
    assert np.isin(network.keys, released.keys).all()
    assert smallest_degree_class(released) >= k


def test_a_star_and_a_pair_have_answers() -> None:
    star = network_of([(0, leaf) for leaf in range(1, 8)], 8)
    for network, k in ((star, 3), (network_of([(0, 1)], 2), 2)):
        outcome = protect(network, {"name": "k-degree", "k": k}, {"model": "k-degree", "k": k})
        assert outcome.solution
        assert outcome.released is not None
        assert smallest_degree_class(outcome.released) >= k


def test_the_report_is_that_of_the_released_links() -> None:
    outcome = protect(karate(), {"name": "k-degree", "k": 3}, {"model": "k-degree", "k": 3})
    released, links = outcome.released, outcome.report.network.links
    assert released is not None
    assert outcome.rows is not None
    back = {tuple(sorted(outcome.rows[list(pair)].tolist())) for pair in released.pairs.tolist()}
    true = {tuple(pair) for pair in karate().pairs.tolist()}
    assert (links.added, links.removed) == (len(back - true), len(true - back))
    loss = outcome.report.utility.loss
    assert loss == pytest.approx(len(back ^ true) / len(back | true))
    assert outcome.report.classes.smallest == smallest_degree_class(released)


def test_parameters_that_cannot_be_met_are_refused() -> None:
    with pytest.raises(InvalidPlan, match="at most 34 is accepted"):
        protect(karate(), {"name": "k-degree", "k": 35})
    with pytest.raises(InvalidPlan, match="only adds links"):
        plan_of({"name": "k-degree", "k": 3, "changes": "additions-deletions",
                 "realization": "supergraph"})  # fmt: skip


def test_without_enough_change_there_is_no_solution_but_an_answer() -> None:
    outcome = protect(karate(), {"name": "none"}, {"model": "k-degree", "k": 3})
    assert not outcome.solution
    assert outcome.released is None
    assert outcome.report.blocked_by == "k-degree"
    assert outcome.report.nearest.excess > 0
