"""Networks with directions: what is known of them, and what is offered for them."""

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.networks import Network, summarize_network_risk
from deid_portal.engine.networks.attacks.matching import attack_by_degree
from deid_portal.engine.networks.knowledge.knowledge import Knowledge, partition_nodes
from deid_portal.engine.networks.methods import NETWORK_METHODS
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import PAIRS, protect

SILENT = Progress(None)
DIRECTED = {"directed": True}


def directed_of(pairs: Any, nodes: int = 10) -> Network:
    return Network.from_pairs(nodes, np.array(pairs, int).reshape(-1, 2), directed=True)


def as_digraph(network: Network) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.nodes))
    graph.add_edges_from(network.pairs.tolist())
    return graph


def way_to(graph: nx.DiGraph, node: int, other: int) -> int:
    return graph.has_edge(node, other) + 2 * graph.has_edge(other, node)


def around(graph: nx.DiGraph, node: int) -> nx.DiGraph:
    """Return the links among everybody linked with a node, each known by the way to them."""
    own = graph.subgraph({*graph.successors(node), *graph.predecessors(node)}).copy()
    nx.set_node_attributes(own, {other: way_to(graph, node, other) for other in own}, "way")
    return own


def sizes_of(network: Network, knowledge: Knowledge) -> list[int]:
    return sorted(partition_nodes(network, knowledge, SILENT).sizes.tolist())


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_neighborhoods_are_alike_if_isomorphic_with_their_directions(
    pairs: list[tuple[int, int]],
) -> None:
    network = directed_of(pairs)
    graph = as_digraph(network)
    classes: list[list[nx.DiGraph]] = []
    for own in (around(graph, node) for node in graph):
        same = (c for c in classes if nx.is_isomorphic(own, c[0], lambda a, b: a == b))
        found = next(same, None)
        if found is None:
            classes.append([own])
        else:
            found.append(own)
    assert sizes_of(network, Knowledge.NEIGHBORHOOD) == sorted(map(len, classes))


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_degrees_of_neighbors_are_known_with_their_ways(pairs: list[tuple[int, int]]) -> None:
    network = directed_of(pairs)
    graph = as_digraph(network)
    ends = {node: (graph.out_degree(node), graph.in_degree(node)) for node in graph}
    known = [
        (ends[node], tuple(sorted((way_to(graph, node, o), ends[o]) for o in around(graph, node))))
        for node in graph
    ]
    assert sizes_of(network, Knowledge.NEIGHBOR_DEGREES) == sorted(Counter(known).values())
    assert sizes_of(network, Knowledge.DEGREE) == sorted(Counter(ends.values()).values())


def test_a_ring_hides_everybody_and_a_path_nobody() -> None:
    ring = directed_of([(node, (node + 1) % 6) for node in range(6)], 6)
    path = directed_of([(0, 1), (1, 2)], 3)
    for knowledge in ("degree", "neighbour-degrees", "neighbourhood"):
        assert summarize_network_risk(ring)[knowledge].unique == 0
        assert summarize_network_risk(path)[knowledge].unique == 3


def test_attributes_are_known_with_links_both_ways() -> None:
    table = Table.from_rows(["job"], [["cook"]] * 3)
    path = Network.from_pairs(3, np.array([[0, 1], [1, 2]]), directed=True, table=table)
    found = summarize_network_risk(path, columns=table.columns)["attributes+degree"]
    assert found.unique == 3


def test_who_is_looked_for_by_degree_is_looked_for_both_ways() -> None:
    path = directed_of([(0, 1), (1, 2)], 3)
    found = attack_by_degree(path, path, np.arange(3, dtype=np.int32))
    assert found.found_for_sure == 3


@settings(max_examples=30, deadline=None)
@given(PAIRS, st.integers(0, 5))
def test_switched_links_leave_links_to_and_from_everybody(
    pairs: list[tuple[int, int]], number: int
) -> None:
    network = directed_of(pairs)
    method = {"name": "random-links", "share": 1.0, "kind": "switch"}
    outcome = protect(network, method, network=DIRECTED, number=number)
    released, rows = outcome.released, outcome.rows
    assert released is not None
    assert rows is not None
    assert released.directed
    assert np.array_equal(released.degrees, network.degrees[rows])
    assert np.array_equal(released.in_degrees, network.in_degrees[rows])


@settings(max_examples=30, deadline=None)
@given(PAIRS, st.integers(2, 4))
def test_groups_count_links_by_direction(pairs: list[tuple[int, int]], k: int) -> None:
    network = directed_of(pairs)
    outcome = protect(network, {"name": "k-grouping", "k": k}, network=DIRECTED)
    assert outcome.released is not None
    assert outcome.released.directed
    assert outcome.released.edges == network.edges
    people = [int(cell or 0) for cell in outcome.tables["groups"]["people"].cells()]
    within = [int(cell or 0) for cell in outcome.tables["groups"]["links within"].cells()]
    between = [int(cell or 0) for cell in outcome.tables["group-links"]["links"].cells()]
    assert min(people) >= k
    assert sum(within) + sum(between) == network.edges
    assert all(links <= size * (size - 1) for links, size in zip(within, people, strict=True))


OFFERED = [
    {"name": "none"},
    {"name": "noise-graph", "share": 0.5},
    {"name": "random-links", "share": 0.5},
    {"name": "k-grouping", "k": 2},
    {"name": "k-degree", "k": 2},
]
REFUSED = [
    {"name": "k-neighbourhood", "k": 2},
    {"name": "private-degrees", "epsilon": 1.0},
]


def test_every_method_is_offered_or_refused() -> None:
    named = {str(way["name"]) for way in [*OFFERED, *REFUSED]} | {"attributes"}
    assert named == set(NETWORK_METHODS)


@pytest.mark.parametrize("way", OFFERED, ids=[way["name"] for way in OFFERED])
def test_directions_stay_where_a_method_takes_them(way: dict[str, Any]) -> None:
    network = directed_of([(0, 1), (1, 2), (2, 0), (3, 0), (4, 3)], 6)
    outcome = protect(network, way, network=DIRECTED)
    assert outcome.released is not None
    assert outcome.released.directed
    assert outcome.report.network.risk["neighbourhood"].after.exact


@pytest.mark.parametrize("way", REFUSED, ids=[way["name"] for way in REFUSED])
def test_other_methods_say_how_they_can_be_used(way: dict[str, Any]) -> None:
    network = directed_of([(0, 1), (1, 2)], 3)
    with pytest.raises(InvalidPlan, match='for links without directions; say "directed": false'):
        protect(network, way, network=DIRECTED)
