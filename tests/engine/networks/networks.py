"""Networks the tests share, and obvious ways to look at them."""

import lzma
from collections import Counter
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from deid_portal.engine.networks import Network, NetworkOutcome, NetworkPlan, protect_network
from deid_portal.engine.networks.files.reader import read_network
from tests.chance import known_secret
from tests.engine.tables import DATA

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=25)


@cache
def read_public(name: str) -> Network:
    with lzma.open(DATA / "networks" / f"{name}.txt.xz") as stream:
        return read_network(stream)  # type: ignore[arg-type]


@cache
def read_public_directed(name: str) -> Network:
    with lzma.open(DATA / "networks" / f"{name}.txt.xz") as stream:
        return read_network(stream, directed=True)  # type: ignore[arg-type]


@cache
def karate() -> Network:
    """Return the karate club of W. Zachary, 1977: 34 people, 78 links."""
    return network_of(nx.karate_club_graph().edges(), 34)


def network_of(pairs: Any, nodes: int) -> Network:
    labels = [f"person {node}" for node in range(nodes)]
    return Network.from_pairs(nodes, np.array(list(pairs), int).reshape(-1, 2), labels=labels)


def named(edges: list[list[str]]) -> Network:
    """Return a network of named people."""
    names = list(dict.fromkeys(name for edge in edges for name in edge))
    pairs = [[names.index(one), names.index(other)] for one, other in edges]
    return Network.from_pairs(len(names), np.array(pairs), labels=names)


def as_graph(network: Network) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(network.nodes))
    graph.add_edges_from(network.pairs.tolist())
    return graph


def smallest_degree_class(network: Network) -> int:
    """Count degrees the obvious way."""
    return min(Counter(degree for _, degree in as_graph(network).degree()).values())


def neighborhood_classes(network: Network, labels: list[Any] | None = None) -> list[list[int]]:
    """Group nodes by isomorphism of the graph that their neighbors induce, pair by pair."""
    graph = as_graph(network)
    if labels is not None:
        nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    classes: list[tuple[nx.Graph, list[int]]] = []
    match = None if labels is None else lambda one, other: one["label"] == other["label"]
    for node in graph:
        own = graph.subgraph(graph[node])
        for other, members in classes:
            if nx.is_isomorphic(own, other, node_match=match):
                members.append(node)
                break
        else:
            classes.append((own, [node]))
    return [members for _, members in classes]


def plan_of(method: Any, *models: dict[str, Any], **more: Any) -> NetworkPlan:
    document = {"plan": 1, "network": {}, "models": list(models), "method": method}
    return NetworkPlan.from_document(document | more)


def protect(
    people: Network, method: Any, *models: dict[str, Any], number: int = 1, **more: Any
) -> NetworkOutcome:
    """Protect by a plan of these parts; the same number draws the same."""
    plan = plan_of(method, *models, **more)
    return protect_network(people, plan, secret=known_secret(number))
