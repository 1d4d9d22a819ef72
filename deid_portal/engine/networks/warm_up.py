"""Compiling every kernel for networks before it is needed."""

import io
from typing import Any

import numpy as np

from deid_portal.engine.networks.attacks.active import attempt, plant_fakes
from deid_portal.engine.networks.files.reader import read_network
from deid_portal.engine.networks.knowledge.risk import summarize_network_risk
from deid_portal.engine.networks.network import Network
from deid_portal.engine.networks.plan import NetworkPlan
from deid_portal.engine.networks.private_counts import project_network
from deid_portal.engine.networks.protection import protect_network
from deid_portal.engine.randomness.chance import SECRET_BYTES

METHODS: list[dict[str, Any]] = [
    {"name": "k-degree", "k": 3},
    {"name": "k-degree", "k": 3, "changes": "additions-deletions"},
    {"name": "k-degree", "k": 3, "realization": "supergraph"},
    {"name": "k-degree", "k": 3, "algorithm": "greedy"},
    {"name": "k-neighbourhood", "k": 3},
    {"name": "k-neighbourhood", "k": 3, "changes": "additions"},
    {"name": "k-grouping", "k": 3, "effort": 2},
    {"name": "random-links", "share": 0.5, "kind": "switch"},
]

NO_SECRET = bytes(SECRET_BYTES)  # so that every warm-up does the same


def warm_up_networks() -> None:
    """Compile every kernel, or load it if that was done before; a second call costs little."""
    network = read_network(io.BytesIO(_links()))
    for method in METHODS:
        document = {"plan": 1, "network": {}, "models": [], "method": method}
        plan = NetworkPlan.from_document(document)
        protect_network(network, plan, secret=NO_SECRET)
    project_network(network, 2)
    plant = plant_fakes(network, np.random.default_rng(1))
    attempt(plant, plant.network, np.arange(plant.network.nodes, dtype=np.int32))
    directed = Network.from_pairs(network.nodes, network.pairs, directed=True)
    summarize_network_risk(directed)
    for more in ({}, {"realization": "supergraph"}, {"changes": "additions-deletions"}):
        document = {
            "plan": 1,
            "network": {"directed": True},
            "method": {"name": "k-degree", "k": 5, **more},
        }
        protect_network(directed, NetworkPlan.from_document(document), secret=NO_SECRET)


def _links() -> bytes:
    """Return links of a hub, a ring, a clique and some random ones, so that every loop runs."""
    hub = [(0, node) for node in range(1, 12)]
    ring = [(node, node % 11 + 1) for node in range(1, 12)]
    clique = [(a, b) for a in range(20, 26) for b in range(20, a)]
    chance = np.random.default_rng(1).integers(0, 40, (30, 2)).tolist()
    return "".join(f"{a},{b}\n" for a, b in [*hub, *ring, *clique, *chance]).encode()
