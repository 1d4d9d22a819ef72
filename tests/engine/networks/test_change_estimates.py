"""What is said before a run about the links it will change holds for what it changes."""

from typing import Any

import numpy as np
import pytest

from deid_portal.engine.documents import Place
from deid_portal.engine.networks import Network
from deid_portal.engine.networks.change_estimate import ChangeEstimate, CountedNetwork
from deid_portal.engine.networks.first_draft import start_draft
from deid_portal.engine.networks.methods import parse_network_methods
from deid_portal.engine.networks.structure.comparison import compare_links
from deid_portal.engine.progress import Progress
from tests.engine.networks.networks import karate, plan_of, read_public

METHODS: list[dict[str, Any]] = [
    {"name": "k-degree", "k": 5},
    {"name": "k-degree", "k": 5, "algorithm": "greedy"},
    {"name": "k-degree", "k": 5, "realization": "supergraph"},
    {"name": "k-degree", "k": 5, "changes": "additions-deletions"},
    {"name": "noise-graph", "share": 0.1},
    {"name": "random-links", "share": 0.1},
    {"name": "random-links", "share": 0.1, "kind": "switch"},
    {"name": "none"},
]


def estimate(network: Network, entry: dict[str, Any]) -> ChangeEstimate:
    counted = CountedNetwork(network.nodes, network.edges, network.degrees)
    return parse_network_methods(Place({"method": entry})["method"])[0].estimate_changes(counted)


def count_changed(network: Network, entry: dict[str, Any]) -> int:
    plan = plan_of(entry)
    draft = start_draft(network, plan)
    done = plan.methods[0].apply(draft, np.random.default_rng(3), Progress(None))
    changes = compare_links(network, done.network)
    return len(changes.added) + len(changes.removed)


@pytest.mark.parametrize("name", ["ca-GrQc", "ego-Facebook"])
@pytest.mark.parametrize("entry", METHODS, ids=str)
def test_a_run_keeps_to_the_range(name: str, entry: dict[str, Any]) -> None:
    network = read_public(name)
    said = estimate(network, entry)
    assert said.least is not None
    assert said.most is not None
    assert said.least <= count_changed(network, entry) <= said.most


def test_both_ends_are_said() -> None:
    said = estimate(read_public("ego-Facebook"), {"name": "k-degree", "k": 5})
    assert said.words == "1,016 to 3,051"
    assert said.note == "1.2\u00a0% to 3.5\u00a0% of all links, added and removed"


def test_where_everybody_knows_many_no_upper_end_is_said() -> None:
    said = estimate(karate(), {"name": "k-degree", "k": 5})
    assert (said.most, said.words) == (None, f"{said.least} or more")


def test_a_range_of_one_number_is_said_as_one() -> None:
    said = estimate(karate(), {"name": "random-links", "share": 0.25})
    assert said.words == "40"  # 20 removed and 20 added
    assert estimate(karate(), {"name": "k-neighbourhood", "k": 3}).words == "–"
