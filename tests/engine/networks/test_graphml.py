"""GraphML is read without following what an XML file could ask for, and written back equal."""

import io

import numpy as np
import pytest

from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.networks import Network
from deid_portal.engine.networks.reading import read_network
from deid_portal.engine.networks.writing import write_network_graphml

FILE = """<?xml version="1.0"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="job" attr.type="string"><default>none</default></key>
<key id="d1" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="undirected">
<node id="ann"><data key="d0">baker &amp; cook</data></node><node id="bob"/>
<edge source="ann" target="bob"><data key="d1">1.5</data></edge>
</graph></graphml>"""
BOMB = '<!DOCTYPE g [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>' + FILE.partition("?>")[2]


def test_nodes_links_and_data_are_read() -> None:
    network = read_network(io.BytesIO(FILE.encode()))
    assert (network.labels, network.edges, network.directed) == (("ann", "bob"), 1, False)
    assert network.table is not None
    assert list(network.table["job"].cells()) == ["baker & cook", "none"]
    assert network.intake.extra_columns == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "document type"),
        (FILE[:-20], "well-formed"),
        ("<svg/>", "no graph"),
        ('<graphml><graph edgedefault="directed"/></graphml>', "no nodes"),
        ("<graphml>" * 40 + "</graphml>" * 40, "nested"),
        ("<graphml><graph><edge source='a'/></graph></graphml>", "only one node"),
        ("<graphml><graph><hyperedge/></graph></graphml>", "hyperedges"),
        ("<graphml><graph/><graph/></graphml>", "more than one graph"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, words: str) -> None:
    with pytest.raises(InvalidTable, match=words):
        read_network(io.BytesIO(text.encode()))


def test_a_release_is_read_back_equal() -> None:
    table = Table.from_rows(["job <1>"], [["a & b"], [None], ["\x01<c>"]])
    released = Network.from_pairs(3, np.array([[0, 1], [1, 2]]), directed=True, table=table)
    stream = io.BytesIO()
    write_network_graphml(released, stream)
    back = read_network(stream)
    assert back.labels == ("1", "2", "3")
    assert back.directed
    assert np.array_equal(back.keys, released.keys)
    assert back.table is not None
    assert list(back.table["job <1>"].cells()) == ["a & b", None, "<c>"]
