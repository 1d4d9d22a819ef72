"""Who looks alike is what an obvious count finds, for every kind of knowledge."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine.networks import Network, summarize_network_risk
from deid_portal.engine.networks.knowledge.knowledge import Knowledge, partition_nodes
from deid_portal.engine.networks.knowledge.neighborhoods import partition_by_neighborhood
from deid_portal.engine.networks.knowledge.partition import NodePartition
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import (
    PAIRS,
    as_graph,
    karate,
    named,
    neighborhood_classes,
    network_of,
)
from tests.engine.vectors import check, find

SILENT = Progress(None)


def groups_of(alike: NodePartition) -> set[frozenset[int]]:
    members: dict[int, set[int]] = {}
    for node, number in enumerate(alike.class_of.tolist()):
        members.setdefault(number, set()).add(node)
    return {frozenset(own) for own in members.values()}


def as_groups(classes: list[list[int]]) -> set[frozenset[int]]:
    return {frozenset(own) for own in classes}


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_neighborhoods_are_alike_exactly_if_they_are_isomorphic(
    pairs: list[tuple[int, int]],
) -> None:
    network = network_of(pairs, 10)
    found = partition_nodes(network, Knowledge.NEIGHBORHOOD, SILENT)
    assert not found.undecided
    assert groups_of(found) == as_groups(neighborhood_classes(network))


@settings(max_examples=40, deadline=None)
@given(PAIRS, st.lists(st.integers(0, 1), min_size=10, max_size=10))
def test_labels_of_people_around_count_where_they_are_known(
    pairs: list[tuple[int, int]], labels: list[int]
) -> None:
    network = network_of(pairs, 10)
    found = partition_by_neighborhood(network, SILENT, np.array(labels, np.uint64) + np.uint64(1))
    assert groups_of(found) == as_groups(neighborhood_classes(network, labels))


def rings(first: int, second: int, shared: list[tuple[int, int]]) -> nx.Graph:
    """Return two rings side by side with some more links."""
    graph = nx.disjoint_union(nx.cycle_graph(first), nx.cycle_graph(second))
    graph.add_edges_from(shared)
    return graph


REGULAR = {
    "a ring of six and two of three": (nx.cycle_graph(6), rings(3, 3, [])),
    "a cube and a ladder": (nx.cubical_graph(), nx.circulant_graph(8, [1, 4])),
    "a prism and K33": (nx.circular_ladder_graph(3), nx.complete_bipartite_graph(3, 3)),
    "a bridge and a chord": (rings(5, 5, [(0, 5)]), nx.Graph([*nx.cycle_graph(10).edges, (0, 5)])),
}


@pytest.mark.parametrize("pair", REGULAR.values(), ids=REGULAR)
def test_colors_alone_are_not_trusted_with_regular_neighborhoods(
    pair: tuple[nx.Graph, nx.Graph],
) -> None:
    """Hubs around graphs that no refinement of colors tells apart."""
    first, second = (nx.convert_node_labels_to_integers(own) for own in pair)
    hubs = [first, second, nx.relabel_nodes(first, dict(enumerate(reversed(range(len(first))))))]
    graph = nx.disjoint_union_all([nx.compose(own, nx.star_graph([99, *own])) for own in hubs])
    network = network_of(graph.edges(), len(graph))
    alike = partition_nodes(network, Knowledge.NEIGHBORHOOD, SILENT)
    centers = [node for node, degree in graph.degree() if degree == len(first)]
    one, other, same = (int(alike.class_of[node]) for node in centers)
    assert one == same != other


@settings(max_examples=60, deadline=None)
@given(PAIRS)
def test_degrees_of_neighbors_are_compared_as_lists(pairs: list[tuple[int, int]]) -> None:
    network = network_of(pairs, 10)
    graph = as_graph(network)
    lists = [tuple(sorted(graph.degree(o) for o in graph[node])) for node in graph]
    found = partition_nodes(network, Knowledge.NEIGHBOR_DEGREES, SILENT)
    assert sorted(found.sizes.tolist()) == sorted(Counter(lists).values())


def test_directions_count_for_degrees() -> None:
    network = Network.from_pairs(3, np.array([[0, 1], [1, 2]]), directed=True)
    assert len(partition_nodes(network, Knowledge.DEGREE, SILENT).sizes) == 3


def test_the_decks_graph_has_five_kinds_of_neighborhood() -> None:
    vector = find("s3-kneighbourhood-fixture")
    alike = partition_nodes(named(vector["input"]["edges"]), Knowledge.NEIGHBORHOOD, SILENT)
    check(vector, {"k": int(alike.sizes.min()), "n_classes": len(alike.sizes)})


def test_the_summary_counts_people_not_groups() -> None:
    degrees = Counter(degree for _, degree in as_graph(karate()).degree())
    found = summarize_network_risk(karate(), k=3)["degree"]
    assert found.unique == sum(count == 1 for count in degrees.values())
    assert found.below_k == sum(count for count in degrees.values() if count < 3)
    assert found.exact
    assert found.candidates.most == max(degrees.values())


def test_too_regular_and_too_large_is_undecided_and_never_hidden() -> None:
    """Two hubs around 130 people in a ring each: no picture is drawn of so many."""
    ring = nx.cycle_graph(130)
    hub = nx.compose(ring, nx.star_graph([130, *ring]))
    graph = nx.disjoint_union(hub, hub)
    network = network_of(graph.edges(), len(graph))
    alike = partition_nodes(network, Knowledge.NEIGHBORHOOD, SILENT)
    assert alike.undecided == 2
    assert (alike.candidates == 1).sum() == 2
    summary = summarize_network_risk(network)["neighbourhood"]
    assert (summary.unique, summary.unique_at_least, summary.exact) == (2, 0, False)
