"""Figures of structure are those of networkx, and drawings are always the same."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from deid_portal.engine.charts.networks import beside_charts, drawing_chart
from deid_portal.engine.networks.structure.layout import MOST_DOTS, draw_beside, lay_out_network
from deid_portal.engine.networks.structure.structure import Structure
from deid_portal.engine.networks.structure.structure_kernels import count_cores
from deid_portal.engine.networks.structure.utility import agreement, rank_correlation
from deid_portal.engine.report.network import NetworkDrawing
from tests.charts import check_chart
from tests.engine.networks.networks import PAIRS, as_graph, karate, network_of, read_public


@settings(max_examples=40, deadline=None)
@given(PAIRS)
def test_small_networks_have_the_figures_networkx_finds(pairs: list[tuple[int, int]]) -> None:
    network = network_of(pairs, 10)
    graph, found = as_graph(network), Structure(network)
    assert found.triangles.tolist() == list(nx.triangles(graph).values())
    assert found.clustering == pytest.approx(nx.average_clustering(graph))
    assert found.transitivity == pytest.approx(nx.transitivity(graph))
    assert sorted(found.components.tolist()) == sorted(map(len, nx.connected_components(graph)))
    assert found.importance.tolist() == pytest.approx(
        list(nx.pagerank(graph, max_iter=500, tol=1e-9).values()) if network.edges else [0.1] * 10,
        abs=1e-3,
    )


def test_paths_and_spectrum_of_the_club() -> None:
    graph, found = as_graph(karate()), Structure(karate())
    assert found.mean_path == pytest.approx(nx.average_shortest_path_length(graph))
    expected = np.sort(np.linalg.eigvalsh(nx.to_numpy_array(graph)))[::-1][:6]
    assert found.spectrum == pytest.approx(expected.tolist(), abs=1e-3)


def test_agreement_is_one_for_equal_divisions_and_near_zero_for_chance() -> None:
    division = np.random.default_rng(1).integers(0, 5, 2000).astype(np.int32)
    assert agreement(division, (division + 2) % 5) == pytest.approx(1)
    other = np.random.default_rng(2).integers(0, 5, 2000).astype(np.int32)
    assert abs(agreement(division, other)) < 0.02
    numbers = np.arange(5.0)
    assert rank_correlation(numbers, numbers**2) == pytest.approx(1)
    assert rank_correlation(numbers, -numbers) == pytest.approx(-1)


def test_a_small_network_is_drawn_node_by_node_and_always_alike() -> None:
    first, second = lay_out_network(karate()), lay_out_network(karate())
    assert np.array_equal(first.points, second.points)
    assert not first.is_aggregated
    assert (first.points >= 0).all()
    assert (first.points <= 1).all()
    apart = np.linalg.norm(first.points[:, None] - first.points[None], axis=2) + np.eye(34)
    assert apart.min() > 0.01


def test_a_large_network_is_drawn_by_its_communities() -> None:
    network = read_public("ca-GrQc")
    drawing = lay_out_network(network)
    assert drawing.is_aggregated
    assert len(drawing.points) <= MOST_DOTS
    assert drawing.sizes.sum() == network.nodes
    inside = (drawing.group_of[network.pairs[:, 0]] == drawing.group_of[network.pairs[:, 1]]).sum()
    assert drawing.weights.sum() + inside == network.edges
    again = lay_out_network(network, drawing.group_of)
    assert np.array_equal(again.points, drawing.points)


def test_core_numbers_are_those_networkx_finds() -> None:
    for number in range(5):
        graph = nx.gnm_random_graph(60, 40 + 60 * number, seed=number)
        network = network_of(graph.edges(), 60)
        found = count_cores(network.offsets, network.neighbors)
        assert dict(enumerate(found.tolist())) == nx.core_number(graph)


def test_a_network_of_one_community_is_drawn_as_a_core_with_shells() -> None:
    votes = read_public("wiki-Vote")
    drawn = lay_out_network(votes).drawing
    assert drawn.aggregated
    assert drawn.shells is not None
    assert sum(drawn.sizes) == votes.nodes
    assert min(drawn.sizes) >= 5
    lows = [low for low, _ in drawn.shells]
    assert lows == sorted(lows, reverse=True)
    far = [np.hypot(x - 0.5, y - 0.5) for x, y in drawn.points]
    assert far == sorted(far)
    chart = drawing_chart(drawn, chart_id="after", title="Votes")
    check_chart(chart)
    assert chart.table is not None
    assert chart.table.rows[0][1] == f"{drawn.sizes[0]:,}"
    stored = NetworkDrawing.from_document(drawn.to_document())
    assert stored.shells == drawn.shells
    beside = draw_beside(votes, votes, np.arange(votes.nodes))
    assert [own.id for own in beside_charts(beside)] == ["before", "after"]


def test_one_dot_is_drawn_in_the_middle() -> None:
    assert lay_out_network(network_of([], 1)).points.tolist() == [[0.5, 0.5]]
