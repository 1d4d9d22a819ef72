"""A frame of links is the network its file is."""

import io

import pandas as pd
import pytest

from deid_portal.engine import InvalidTable
from deid_portal.engine.networks import links_to_pandas, network_from_pandas, nodes_to_pandas
from deid_portal.engine.networks.files.reader import read_network

LINKS = pd.DataFrame({"from": ["a", "b", "c", "a"], "to": ["b", "c", "c", "d"], "weight": 1.5})
NODES = pd.DataFrame({"id": list("abcde"), "age": pd.array([20, None, 30, 40, 50], "Int64")})


def test_a_frame_is_read_as_the_file_of_it() -> None:
    file = io.BytesIO(LINKS.to_csv(index=False).encode())
    read, taken = read_network(file), network_from_pandas(LINKS)
    assert taken.labels == read.labels
    assert taken.pairs.tolist() == read.pairs.tolist()
    assert taken.intake == read.intake


def test_nodes_bring_attributes_and_those_nobody_is_linked_with() -> None:
    network = network_from_pandas(LINKS, NODES)
    assert network.nodes == 5
    frame = nodes_to_pandas(network)
    assert frame["age"].tolist() == [20, pd.NA, 30, 40, 50]
    assert links_to_pandas(network)[["source", "target"]].to_numpy().tolist() == [
        [1, 2],
        [1, 4],
        [2, 3],
    ]


def test_numbers_can_be_ids_and_links_can_have_directions() -> None:
    links = pd.DataFrame({"a": [1, 2], "b": [2, 1]})
    assert network_from_pandas(links).edges == 1
    assert network_from_pandas(links, directed=True).edges == 2


@pytest.mark.parametrize(
    ("links", "sentence"),
    [
        (LINKS[["from"]], "A frame of links needs two columns, for the two ends of a link."),
        (
            pd.DataFrame({"a": ["x", "y"], "b": ["y", None]}),
            "Row 2 names only one node; two are needed for a link.",
        ),
        (
            pd.DataFrame({"a": ["x"], "b": ["x"]}),
            "The frame has no link between two different nodes.",
        ),
    ],
)
def test_what_is_no_network_is_refused(links: pd.DataFrame, sentence: str) -> None:
    with pytest.raises(InvalidTable) as refused:
        network_from_pandas(links)
    assert str(refused.value) == sentence
