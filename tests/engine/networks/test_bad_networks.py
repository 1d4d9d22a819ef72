"""Unusual networks give a result or a clear refusal, never a crash."""

import io

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, InvalidTable, Table
from deid_portal.engine.networks.files.reader import read_network
from deid_portal.engine.networks.network import Network
from tests.engine.networks.networks import protect

WAYS = [
    {"name": "none"},
    {"name": "k-degree", "k": 2},
    {"name": "k-neighbourhood", "k": 2},
    {"name": "k-grouping", "k": 2},
    {"name": "noise-graph", "share": 0.5},
    {"name": "random-links", "share": 0.5},
    {"name": "private-degrees", "epsilon": 1.0},
]
NAMES = [way["name"] for way in WAYS]


def test_links_to_oneself_only_are_no_network() -> None:
    with pytest.raises(InvalidTable, match="from a node to itself"):
        read_network(io.BytesIO(b"a,a\nb,b\n"))


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_one_node_is_released_or_refused(way: dict[str, object]) -> None:
    network = read_network(io.BytesIO(b"a,a\n"), nodes=Table.from_rows(["id"], [["a"]]))
    assert (network.nodes, network.edges) == (1, 0)
    if "k" in way:
        with pytest.raises(InvalidPlan, match="at most 1 is accepted"):
            protect(network, way)
    else:
        assert protect(network, way).released is not None


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
@pytest.mark.parametrize("leaves", [1, 40])
def test_a_star_is_protected(way: dict[str, object], leaves: int) -> None:
    pairs = np.array([[0, leaf] for leaf in range(1, leaves + 1)])
    outcome = protect(Network.from_pairs(leaves + 1, pairs), way)
    assert outcome.released is not None
    assert outcome.released.nodes == leaves + 1


@pytest.mark.parametrize("way", WAYS, ids=NAMES)
def test_people_without_any_link_are_protected(way: dict[str, object]) -> None:
    outcome = protect(Network.from_pairs(5, np.zeros((0, 2), int)), way)
    assert outcome.released is not None


def test_a_link_named_very_often_is_one_link() -> None:
    text = b"a,b\nb,a\n" * 100_000
    network = read_network(io.BytesIO(text))
    assert (network.nodes, network.edges, network.intake.repeated) == (2, 1, 199_999)


def test_a_node_table_without_half_of_the_ids_leaves_gaps() -> None:
    links = "".join(f"p{n},p{n + 1}\n" for n in range(20)).encode()
    nodes = Table.from_rows(["id", "age"], [[f"p{n}", str(20 + n % 2)] for n in range(0, 21, 2)])
    network = read_network(io.BytesIO(links), nodes=nodes)
    assert network.intake.without_attributes == 10
    columns = {"age": {"role": "quasi-identifier"}}
    method = [{"name": "k-degree", "k": 3}, {"name": "attributes", "k": 3}]
    outcome = protect(network, method, {"model": "k-degree-attributes", "k": 3}, columns=columns)
    assert outcome.solution
    assert any("not in the node table" in note for note in outcome.report.notes)
