"""GraphML is read without following what an XML file could ask for, and written back equal."""

import io

import numpy as np
import pytest

from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.networks import Network
from deid_portal.engine.networks.files import graphml_links
from deid_portal.engine.networks.files.reader import read_network
from deid_portal.engine.networks.files.writer import write_network_graphml

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


OUTSIDE = '<!DOCTYPE g [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + FILE.partition("?>")[2]
LATIN = FILE.replace('"1.0"?', '"1.0" encoding="ISO-8859-1"?').replace("ann", "jos\xe9")


@pytest.mark.parametrize("text", [BOMB, OUTSIDE, FILE.replace("ann", "&a;")])
def test_entities_are_never_followed(text: str) -> None:
    with pytest.raises(InvalidTable, match=r"document type|well-formed"):
        read_network(io.BytesIO(text.encode()))


@pytest.mark.parametrize(
    "link",
    [
        '<edge source="a" target="b"/>',
        '<edge id="e1" source="a" target="b" />',
        '<edge\n source="a"\ttarget="b"></edge>',
        '<edge source="a" target="b"><data key="w">1.5</data><data key="v"/></edge>',
        '<edge source="a" target="b"><data key="w">1.5</data>\n</edge>',
        '<edge target="b" source="a"/>',
        "<edge source='a' target='b'/>",
        '<edge source="&#97;" target="b"/>',
        '<edge source="a" directed="true" target="b"/>',
        '<!-- <edge source="x" target="y"/> --><edge source="a" target="b"/>',
        '<desc><![CDATA[<edge source="x" target="y"/>]]></desc><edge source="a" target="b"/>',
        '<?note <edge source="x" target="y"/>?><edge source="a" target="b"/>',
    ],
)
def test_a_link_is_read_however_it_is_written(link: str) -> None:
    text = f'<graphml><graph edgedefault="undirected"><node id="a"/>{link}</graph></graphml>'
    network = read_network(io.BytesIO(text.encode()))
    assert (network.labels, network.edges) == (("a", "b"), 1)


def test_ids_of_any_letters_are_read_in_the_encoding_of_the_file() -> None:
    for text, encoding in ((LATIN, "latin-1"), (FILE.replace("ann", "張, 三"), "utf-8")):
        network = read_network(io.BytesIO(text.encode(encoding)))
        assert network.labels is not None
        assert network.labels[0] in ("jos\xe9", "張, 三")
    with pytest.raises(InvalidTable):
        read_network(io.BytesIO(LATIN.replace("ISO-8859-1", "UTF-8").encode("latin-1")))


def test_the_line_of_a_mistake_is_that_of_the_whole_file() -> None:
    links = '<edge source="a"\n target="b"/>\n' * 10
    with pytest.raises(InvalidTable, match="line 22"):
        read_network(io.BytesIO(f"<graphml><graph>\n{links}</graph>".encode()))


def test_links_are_found_in_blocks_of_any_length(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f'<edge source="p{n}" target="p{n + 1}"/> ' for n in range(50))
    for block in (1, 20, 100, 10_000):
        monkeypatch.setattr(graphml_links, "BLOCK", block)
        network = read_network(io.BytesIO(f"<graphml><graph>{text}</graph></graphml>".encode()))
        assert (network.nodes, network.edges) == (51, 50)


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
