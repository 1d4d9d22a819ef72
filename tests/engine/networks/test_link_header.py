"""Whether the first line of a list of links is a header: what is sure, what is a guess, and why."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid_portal.engine.networks.files.link_header import Header, find_header
from deid_portal.engine.networks.files.reader import NetworkKind, detect_network, read_network


def header_of(text: str) -> Header:
    found = detect_network(io.BytesIO(text.encode()))
    assert found.header is not None
    assert found.format.has_header == found.header.is_there
    assert found.format.header_is_guessed != found.header.is_sure
    return found.header


@pytest.mark.parametrize(
    "text",
    [
        "person,friend\nann,bob\nbob,cy\n",
        "source,target\na,b\nc,d\n",
        "Person 1;Person 2\nAnn;Bob\nCy;Di\n",
        "wer,wen\n1,2\n3,4\n",
        "wer wen\np1 p2\np3 p4\n",
        "person,friend,wie oft\nann,bob,3\ncy,di,4\n",
    ],
)
def test_a_header_that_cannot_be_a_link_is_sure(text: str) -> None:
    assert header_of(text).is_there
    assert header_of(text).is_sure


@pytest.mark.parametrize(
    "text",
    [
        "ann,bob\nbob,cy\n",
        "person,friend\nfriend,ann\n",
        "1,2\n3,4\n",
        "p1,p2\np3,p4\n",
        "ann,bob,0.5\ncy,di,2\n",
        "ann,bob\n",
        "ann,ann\nbob,cy\n",
    ],
)
def test_a_link_that_cannot_be_a_header_is_sure(text: str) -> None:
    assert not header_of(text).is_there
    assert header_of(text).is_sure


@pytest.mark.parametrize(
    ("text", "is_there"),
    [
        ("wer,wen\nann,bob\nbob,cy\n", True),  # nobody else stands alone
        ("wer,wen\nann,bob\ncy,di\n", False),  # everybody does
        ("wer,wen\nAnn,Bob\nCy,Di\n", True),  # all others are names
        ("source,wen\nann,bob\ncy,di\n", True),
    ],
)
def test_where_both_could_be_it_is_a_guess_with_a_reason(text: str, is_there: bool) -> None:
    header = header_of(text)
    assert header.is_there is is_there
    assert not header.is_sure
    assert header.sentence.startswith("The first line was taken for a ")
    assert not any(word in header.sentence for word in ("wer", "wen", "ann", "bob"))


WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=9)
NAMES = st.lists(WORDS, min_size=6, max_size=20, unique=True)


@settings(deadline=None)
@given(NAMES)
def test_the_odd_one_out_is_found_among_any_names(names: list[str]) -> None:
    """People in a ring, each named twice: two more names above are a header, a link is none."""
    first, people = names[:2], names[2:]
    ring = [[one, people[place - 1]] for place, one in enumerate(people)]
    assert find_header([first, *ring]).is_there
    assert find_header(ring) == Header(False, "a name in it occurs again further down")


@settings(deadline=None)
@given(NAMES)
def test_pairs_that_all_stand_alone_are_never_sure_of_a_header(names: list[str]) -> None:
    pairs = [names[place : place + 2] for place in range(0, len(names) - 1, 2)]
    header = find_header(pairs)
    assert not (header.is_there and header.is_sure) or "usual names" in header.reason


def test_the_word_of_a_person_counts() -> None:
    form = detect_network(io.BytesIO(b"wer,wen\nann,bob\ncy,di\n")).format
    assert form.header_is_guessed
    said = form.with_header(True)
    assert not said.header_is_guessed
    assert read_network(io.BytesIO(b"wer,wen\nann,bob\ncy,di\n"), said).nodes == 4
    assert type(form).from_document(said.to_document()) == said


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,0,1,1\nb,1,0,1\nc,1,1,0\n", ("a", "b", "c")),  # ids in front only
        ("7,8,9\n0,1,1\n1,0,1\n1,1,0\n", ("7", "8", "9")),  # numbers above numbers
        (",a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n", ("a", "b", "c")),
    ],
)
def test_a_matrix_is_read_with_ids_wherever_they_stand(text: str, names: tuple[str, ...]) -> None:
    network = read_network(io.BytesIO(text.encode()))
    assert network.labels == names
    assert network.edges == 3


def test_numbers_with_weights_are_no_matrix_by_chance() -> None:
    text = b"1,2,5\n2,3,1\n3,4,1\n4,1,2\n"
    assert detect_network(io.BytesIO(text)).format.kind is NetworkKind.EDGES
    assert read_network(io.BytesIO(text)).edges == 4


@pytest.mark.parametrize("labels", [True, False])
def test_a_matrix_larger_than_what_is_looked_at_is_a_matrix(labels: bool) -> None:
    size = 220
    rows = [["1" if abs(i - j) == 1 else "0" for j in range(size)] for i in range(size)]
    if labels:
        rows = [["id", *(f"n{i}" for i in range(size))]] + [
            [f"n{i}", *row] for i, row in enumerate(rows)
        ]
    text = "\n".join(",".join(row) for row in rows).encode()
    assert len(text) > 1 << 16
    network = read_network(io.BytesIO(text))
    assert (network.nodes, network.edges) == (size, size - 1)


@pytest.mark.parametrize(
    "text",
    [
        "user1,user2\nuser3,user4\nuser4,user5\n",
        "patient7 patient9\npatient3 patient4\npatient4 patient5\n",
        "node_17,node_4\nnode_3,node_5\nnode_5,node_8\n",
        "id1,id2\nid3,id4\nid4,id5\n",
    ],
)
def test_ids_made_of_a_usual_word_and_a_number_are_a_link(text: str) -> None:
    """Before, the first link was lost without a word."""
    assert header_of(text) == Header(False, "its names are made as ids below are", is_sure=False)


@pytest.mark.parametrize(
    "text",
    [
        "id1,id2\nA17,B4\nB4,C9\n",
        "anna,bert,unknown\ncarl,dora,1\ndora,emil,2\n",
        "wer,wen,wie oft\nann,bob,3\ncy,di,4\n",
    ],
)
def test_what_could_be_either_is_asked(text: str) -> None:
    assert header_of(text).is_there
    assert not header_of(text).is_sure
