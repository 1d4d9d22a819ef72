"""Networks are read from every kind of file people bring, and bad files are said at once."""

import io
from pathlib import Path

import pytest

from deid_portal.engine import InvalidTable, Table
from deid_portal.engine.networks.files.reader import NetworkKind, detect_network, read_network
from deid_portal.engine.networks.network import Network

TRIANGLE = {("a", "b"), ("a", "c"), ("b", "c")}


def links_of(network: Network) -> set[tuple[str, str]]:
    assert network.labels is not None
    return {tuple(sorted((network.labels[a], network.labels[b]))) for a, b in network.pairs}  # type: ignore[misc]


@pytest.mark.parametrize(
    "text",
    [
        "a,b\na,c\nb,c\n",
        "source,target\na,b\na,c\nb,c\n",
        "a;b\na;c\nb;c",
        "# who\n% knows whom\na\tb\na\tc\n# in between\nb\tc\n",
        "  a   b\na c  \r\nb \t c\r\n",
        "a|b|0.5\na|c|2\nb|c|1\n",
        ",a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n",
        "a,b,c\n0,1,1\n1,0,2\n1,2,0\n",
    ],
)
def test_a_triangle_is_read_however_it_is_written(text: str) -> None:
    network = read_network(io.BytesIO(text.encode()))
    assert links_of(network) == TRIANGLE


def test_a_matrix_without_names_numbers_its_nodes() -> None:
    network = read_network(io.BytesIO(b"0,1,0\n1,0,1\n0,1,0\n"))
    assert (network.nodes, network.edges) == (3, 2)


def test_ids_may_hold_commas_quotes_and_any_letters() -> None:
    text = 'from,to\n"Müller, Ann","O""Neil"\n"O""Neil",李\n'
    network = read_network(io.BytesIO(text.encode()))
    assert links_of(network) == {("Müller, Ann", 'O"Neil'), ('O"Neil', "李")}


def test_numbers_below_words_are_ids_below_names() -> None:
    assert read_network(io.BytesIO(b"person,friend\n1,2\n2,3\n")).nodes == 3
    assert read_network(io.BytesIO(b"1,2\n2,3\n")).nodes == 3


def test_what_is_dropped_is_counted() -> None:
    network = read_network(io.BytesIO(b"a,b,3\nb,a,1\nc,c,2\na,a,0\na,b,9\n"))
    found = network.intake
    assert (network.nodes, network.edges) == (2, 1)
    assert (found.links, found.loops, found.repeated, found.only_loops) == (5, 2, 2, 1)
    assert found.extra_columns == 1
    assert len(found.notes()) == 4


def test_a_node_table_brings_attributes_and_nodes_without_links() -> None:
    nodes = Table.from_rows(["name", "age"], [["b", "30"], ["z", "40"], ["a", None]])
    network = read_network(io.BytesIO(b"a,b\nb,c\n"), nodes=nodes)
    assert network.labels == ("a", "b", "c", "z")
    assert network.table is not None
    assert network.table.names == ("age",)
    assert list(network.table["age"].cells()) == [None, "30", None, "40"]
    assert (network.intake.isolated, network.intake.without_attributes) == (1, 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "empty"),
        (b"# nothing\n", "comments only"),
        (b"a,a\nb,b\n", "from a node to itself"),
        (b"a\nb\n", "two ids are expected"),
        (b"a,b\nb,\n", "Row 2 names only one node"),
        (b"%PDF-1.7 and so on", "PDF"),
        (b"a,b,c\n0,1,1\n0,0,1\n0,0,0\n", "not symmetric"),
    ],
)
def test_bad_files_are_refused_in_one_sentence(text: bytes, words: str) -> None:
    with pytest.raises(InvalidTable, match=words):
        read_network(io.BytesIO(text))


@pytest.mark.parametrize(
    ("rows", "words"),
    [([["a", "1"], ["a", "2"]], "Row 3"), ([["a", "1"], [None, "2"]], "Row 3 of the node table")],
)
def test_ids_of_a_node_table_are_there_and_differ(rows: list[list[str | None]], words: str) -> None:
    with pytest.raises(InvalidTable, match=words):
        read_network(io.BytesIO(b"a,b\n"), nodes=Table.from_rows(["id", "x"], rows))


def test_the_kind_is_told_by_the_content() -> None:
    kinds = {
        b"<graphml/>": NetworkKind.GRAPHML,
        b"a,b\n": NetworkKind.EDGES,
        b"0,1,1\n1,0,1\n1,1,0\n": NetworkKind.ADJACENCY,
    }
    for text, kind in kinds.items():
        assert detect_network(io.BytesIO(text)).format.kind is kind


def test_a_missing_file_is_said_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidTable, match=r'"links\.csv"'):
        read_network(tmp_path / "links.csv")


def test_blanks_in_a_matrix_are_no_links() -> None:
    content = b"0,1, \n1,0,1\n ,1,0\n"
    network = read_network(io.BytesIO(content))
    assert (network.nodes, network.edges) == (3, 2)
