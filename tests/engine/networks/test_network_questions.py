"""Questions about a network: what neighbors change, by brute force over small networks; answers."""

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from deid_portal.engine import InvalidPlan, Table
from deid_portal.engine.differential import QUESTIONS, PrivateQuestion
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.networks import Network
from deid_portal.engine.networks.files.reader import read_network
from deid_portal.engine.networks.private_counts import project_network
from deid_portal.engine.networks.questions import (
    NETWORK_QUESTIONS,
    NetworkSetting,
    kinds_of,
    parse_network_question,
)
from deid_portal.engine.networks.questions.answer import (
    NetworkQueryPlan,
    answer_about_network,
    answer_network_plan,
)
from deid_portal.engine.networks.questions.people import PeopleRows
from tests.engine.differential.test_sensitivity import used
from tests.engine.networks.networks import karate, read_public

LINKS: dict[str, Any] = {"protects": "links", "delta": 1e-6, "domains": {}}
CLUBS = {"club": {"values": ["A", "B"]}, "age": {"low": 0, "high": 100}}
ENTRIES: dict[str, list[dict[str, Any]]] = {
    "links": [{}, {"mechanism": "gaussian"}],
    "people-with-links": [{"least": 1}, {"least": 2}],
    "degree-histogram": [{"most": 2}, {"most": 2, "mechanism": "gaussian"}],
    "average-links": [{}],
}
MEMBERS = {"a": "A", "b": "B", "c": "A", "d": None}
WHERE = [{"column": "club", "is": ["A"]}]
Pair = tuple[int, int]
Links = tuple[Pair, ...]


def setting(bound: int | None = None, *, listed: bool = False, **changes: Any) -> NetworkSetting:
    """Links protected, or people with so many links; listed people have a club."""
    own = LINKS if bound is None else {**LINKS, "protects": "people", "bound": bound}
    people = {"people": "listed", "domains": CLUBS} if listed else {}
    return NetworkSetting.from_document({**own, **people, **changes})


def ask(kind: str, entry: dict[str, Any], own: NetworkSetting) -> NoisyQuestion:
    asked = parse_network_question({"query": kind, **entry, "epsilon": 1.0}, own)
    assert isinstance(asked, NoisyQuestion)
    return asked


def as_file(people: int, links: Links, gone: int | None = None, *, listed: bool) -> Network:
    """Read a file of links, without one person; who has no link is in the list or nowhere."""
    pairs = [pair for pair in links if gone not in pair]
    everybody = [person for person in range(people) if person != gone]
    named = everybody if listed else sorted({end for pair in pairs for end in pair})
    place = {person: number for number, person in enumerate(named)}
    ends = np.array([[place[one], place[other]] for one, other in pairs], int).reshape(-1, 2)
    labels = [chr(ord("a") + person) for person in named]
    network = Network.from_pairs(len(named), ends, labels=labels)
    if not listed:
        return network
    rows = [[MEMBERS.get(label, "A"), "40"] for label in labels]
    known = np.ones(len(named), np.bool_)
    return replace(network, table=Table.from_rows(["club", "age"], rows), listed=known)


def neighbours_of(people: int, links: Links, own: NetworkSetting) -> Iterator[tuple[Links, Any]]:
    """Give all networks that lack one link, or one person with all links."""
    if own.bound is None:
        yield from (((*links[:at], *links[at + 1 :]), None) for at in range(len(links)))
    else:
        yield from ((links, gone) for gone in range(people))


def networks_of_four() -> Iterator[Links]:
    pairs = list(combinations(range(4), 2))
    for count in range(len(pairs) + 1):
        yield from combinations(pairs, count)


def networks_of_nine() -> Iterator[Links]:
    """Dense enough for one person to push links out, and others in, all through the network."""
    generator = np.random.default_rng(3)
    pairs = list(combinations(range(9), 2))
    for _ in range(12):
        yield tuple(pair for pair in pairs if generator.random() < 0.4)


def questions_of(own: NetworkSetting) -> list[NoisyQuestion]:
    asked = []
    for kind in [kind for kind in kinds_of(own) if kind in NETWORK_QUESTIONS]:
        for entry in ENTRIES[kind]:
            entry = {**entry, **({"least": 1} if own.bound == 1 and "least" in entry else {})}
            if own.bound == 1 and "most" in entry:
                entry = {"begins": [0, 1]} if own.is_listed else {}
            if kind == "degree-histogram" and not entry:
                continue  # all who are linked have one link then
            asked.append(ask(kind, entry, own))
            if own.is_listed and not (kind == "average-links" and own.averages_by_size):
                asked.append(ask(kind, {**entry, "where": WHERE}, own))
    return asked


def largest_shares(
    people: int, networks: Iterable[Links], own: NetworkSetting
) -> tuple[list[NoisyQuestion], list[float]]:
    """Return for each question the largest change as a share of what its noise is made for."""
    asked = questions_of(own)

    @cache
    def measured(links: Links, gone: int | None) -> list[tuple[Any, ...]]:
        network = as_file(people, links, gone, listed=own.is_listed)
        plain, fitting = (PeopleRows.choose_from(network, one) for one in (asked[0], asked[-1]))
        return [one.measure(fitting if one.where else plain) for one in asked]

    worst = [0.0] * len(asked)
    for links in networks:
        for other, gone in neighbours_of(people, links, own):
            pairs = zip(asked, measured(links, None), measured(other, gone), strict=True)
            for place, (question, one, two) in enumerate(pairs):
                parts = zip(question.noises(), one, two, strict=True)
                shares = [used(noise.mechanism, first, second) for noise, first, second in parts]
                worst[place] = max(worst[place], *shares)
    return asked, worst


every_relation = pytest.mark.parametrize("bound", [None, 1, 2, 3])
both_populations = pytest.mark.parametrize("listed", [False, True], ids=["linked", "listed"])


@every_relation
@both_populations
def test_no_neighbours_differ_by_more_than_is_paid_for(bound: int | None, listed: bool) -> None:
    """All networks of four people with all their neighbors."""
    own = setting(bound, listed=listed, size=4)
    asked, worst = largest_shares(4, networks_of_four(), own)
    assert max(worst) <= 1
    plain = {one.kind: share for one, share in zip(asked, worst, strict=True) if not one.where}
    assert all(share > 0.5 for share in plain.values()), plain


@pytest.mark.parametrize("bound", [None, 2, 3])
@both_populations
def test_nor_do_those_of_larger_networks(bound: int | None, listed: bool) -> None:
    _, worst = largest_shares(9, networks_of_nine(), setting(bound, listed=listed, size=9))
    assert max(worst) <= 1


def test_conditions_after_the_bound_would_let_one_person_change_too_much() -> None:
    """Why links between people who fit are counted before any are left out: a path of eight."""
    question = ask("links", {"where": WHERE}, setting(1, listed=True))
    path = tuple((person, person + 1) for person in range(7))
    right, wrong = [], []
    for gone in (None, 0):
        network = as_file(8, path, gone, listed=True)
        clubs = [["A" if label in "cdgh" else "B", "40"] for label in network.labels or ()]
        network = replace(network, table=Table.from_rows(["club", "age"], clubs))
        rows = PeopleRows.choose_from(network, question)
        right.append(int(question.measure(rows)[0][0]))
        wrong.append(int(rows.chosen[project_network(network, 1).pairs].all(axis=1).sum()))
    assert abs(right[0] - right[1]) <= question.noises()[0].sensitivity
    assert abs(wrong[0] - wrong[1]) > question.noises()[0].sensitivity


def test_who_is_linked_to_one_person_only_goes_with_them() -> None:
    """A star: without its middle the file names nobody, and answers hardly change."""
    own = setting(2)
    question = ask("people-with-links", {"least": 1}, own)
    star = tuple((0, leaf) for leaf in range(1, 9))
    full, empty = (as_file(9, star, gone, listed=False) for gone in (None, 0))
    assert (full.nodes, empty.nodes) == (9, 0)
    one, other = (question.measure(PeopleRows.choose_from(n, question))[0] for n in (full, empty))
    assert abs(one - other)[0] <= question.noises()[0].sensitivity


@pytest.mark.parametrize(
    ("bound", "sensitivities"),
    [
        (None, {"links": 1, "people-with-links": 2, "degree-histogram": 4, "average-links": 1}),
        (7, {"links": 7, "people-with-links": 8, "degree-histogram": 15, "average-links": 14}),
    ],
)
def test_sensitivities_are_said_and_recorded(
    bound: int | None, sensitivities: dict[str, int]
) -> None:
    own = setting(bound, size=34)
    unit = "one link" if bound is None else "one person with all links"
    for kind, expected in sensitivities.items():
        document = answer_about_network(karate(), ask(kind, ENTRIES[kind][0], own)).to_document()
        assert document["sensitivity"] == expected
        assert document["protects"] == own.protects.value
        assert document.get("bound") == bound
        forecast = ask(kind, ENTRIES[kind][0], own).forecast()
        assert unit in forecast.sensitivity_words
        json.dumps(document, allow_nan=False)


def test_answers_are_near_the_truth() -> None:
    network = read_public("ca-GrQc")
    own = setting(None, size=network.nodes)
    truth = {
        "links": network.edges,
        "people-with-links": int((network.degrees >= 2).sum()),
        "average-links": 2 * network.edges / network.nodes,
    }
    for kind, exact in truth.items():
        question = ask(kind, {**ENTRIES[kind][-1], "mechanism": "geometric"}, own)
        value = answer_about_network(network, question).to_document()["value"]
        assert value == pytest.approx(exact, abs=12 * question.forecast().scale)


def test_people_with_a_bound_are_answered_with_an_honest_interval() -> None:
    network = read_public("ca-GrQc")
    own = setting(100, size=network.nodes)
    question = ask("average-links", {}, own).with_epsilon(10)
    document = answer_about_network(network, question).to_document()
    low, high = document["interval"]
    exact = 2 * network.edges / network.nodes
    assert low - (high - low) <= exact <= high + (high - low)
    assert "beyond 100" in " ".join(document["notes"])


def test_buckets_cover_everybody() -> None:
    own = setting(None)
    question = ask("degree-histogram", {"begins": [1, 3, 10]}, own).with_epsilon(20)
    values = answer_about_network(karate(), question).to_document()["values"]
    assert [(one["from"], one["to"]) for one in values] == [(1, 2), (3, 9), (10, None)]
    assert sum(one["value"] for one in values) == pytest.approx(34, abs=12)


def test_directions_do_not_matter() -> None:
    pairs = np.array([[0, 1], [1, 0], [1, 2]])
    network = Network.from_pairs(3, pairs, directed=True, labels=["a", "b", "c"])
    question = ask("links", {}, setting())
    assert question.measure(PeopleRows.choose_from(network, question))[0][0] == 2


def test_a_person_is_a_row_where_people_are_protected() -> None:
    """All questions about tables; a name that stands in links alone has no row."""
    own = setting(2, listed=True)
    assert set(kinds_of(own)) == {*NETWORK_QUESTIONS, *QUESTIONS}
    network = as_file(4, ((0, 1), (2, 3)), listed=True)
    network = replace(network, listed=np.array([True, True, True, False]))
    count = parse_network_question({"query": "count", "epsilon": 20}, own)
    rows = PeopleRows.choose_from(network, count)
    assert rows.chosen.sum() == 3
    document = answer_about_network(network, count).to_document()
    assert (document["protects"], document["sensitivity"]) == ("people", 1)


@pytest.mark.parametrize(
    ("entry", "own", "said"),
    [
        ({"query": "count"}, setting(listed=True), "would protect nobody"),
        ({"query": "count"}, setting(3), "links alone"),
        ({"query": "friends"}, setting(), "accepted are"),
        ({"query": "average-links"}, setting(), "none is declared"),
        ({"query": "average-links", "where": WHERE}, setting(listed=True, size=9), "among some"),
        ({"query": "people-with-links", "least": 0}, setting(), "from 1 to"),
        ({"query": "people-with-links"}, setting(), "required"),
        ({"query": "people-with-links", "least": 9}, setting(3), "at most 3 links"),
        ({"query": "degree-histogram"}, setting(), "either"),
        ({"query": "degree-histogram", "most": 1_000_000}, setting(), "from 1 to 9999"),
        ({"query": "degree-histogram", "most": 4}, setting(3), "at most 3 links"),
        ({"query": "degree-histogram", "most": 1}, setting(), "two buckets"),
        ({"query": "degree-histogram", "begins": [0, 2]}, setting(), "begin with 1"),
        ({"query": "degree-histogram", "begins": [1, 2.5]}, setting(), "whole numbers"),
        ({"query": "degree-histogram", "begins": [1, 9]}, setting(3), "at most 3 links"),
        ({"query": "links", "where": WHERE}, setting(), "nothing is declared"),
        ({"query": "links", "mechanism": "gaussian"}, setting(delta=None), "needs a delta"),
        ({"query": "links", "epsilon": 0}, setting(), "from 0.0001 to 20"),
        ({"query": "links", "epsilon": float("nan")}, setting(), "finite"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(
    entry: dict[str, Any], own: NetworkSetting, said: str
) -> None:
    with pytest.raises(InvalidPlan, match=said):
        parse_network_question({"epsilon": 1.0, **entry}, own)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"domains": {}}, '"protects" is missing'),
        ({"protects": "all", "domains": {}}, "accepted are"),
        ({"protects": "people", "domains": {}}, "required to protect people"),
        ({"protects": "people", "bound": 0, "domains": {}}, "from 1 to"),
        ({"protects": "links", "bound": 3, "domains": {}}, "only needed to protect people"),
        ({"protects": "links", "domains": CLUBS}, "who are listed"),
        ({"protects": "links", "neighbours": "replace", "domains": {}}, "not known here"),
    ],
)
def test_settings_that_make_no_sense_are_refused(document: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidPlan, match=said):
        NetworkSetting.from_document(document)


def test_files_without_what_was_declared_are_refused() -> None:
    listed = setting(3, listed=True)
    count: PrivateQuestion = parse_network_question({"query": "count", "epsilon": 1}, listed)
    with pytest.raises(InvalidPlan, match="no list of people"):
        PeopleRows.choose_from(karate(), count)
    clubs = parse_network_question(
        {"query": "count-by-group", "column": "club", "epsilon": 1}, listed
    )
    bare = replace(karate(), listed=np.ones(34, np.bool_))
    with pytest.raises(InvalidPlan, match="no column of this name"):
        PeopleRows.choose_from(bare, clubs)


def test_a_plan_of_questions_is_read_back_and_answered() -> None:
    document = {
        "plan": 1,
        "network": {"directed": False},
        "privacy": {"protects": "people", "bound": 5},
        "queries": [
            {"query": "links", "epsilon": 1},
            {"query": "degree-histogram", "most": 5, "accuracy": {"half_width": 20}},
        ],
    }
    plan = NetworkQueryPlan.from_document(document)
    assert NetworkQueryPlan.from_document(plan.to_document()) == plan
    report = answer_network_plan(karate(), plan)
    assert [one["query"] for one in report["answers"]] == ["links", "degree-histogram"]
    assert report["spent"]["epsilon"] == pytest.approx(sum(q.epsilon for q in plan.questions))
    assert "34" not in json.dumps(report["plan"])


GRAPHML = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">
<node id="Ada"/><edge source="Ada" target="Bo"/></graph></graphml>"""
MATRIX = ",Ada,Bo,Cy\nAda,0,1,0\nBo,1,0,0\nCy,0,0,0\n"


def test_who_is_listed_follows_from_the_files() -> None:
    links = io.BytesIO(b"from,to\nAda,Bo\n")
    assert read_network(links).listed is None
    table = Table.from_rows(["name", "club"], [["Ada", "A"], ["Di", "B"]])
    joined = read_network(links, nodes=table)
    assert dict(zip(joined.labels or (), joined.listed, strict=True)) == {
        "Ada": True,
        "Bo": False,
        "Di": True,
    }
    graph = read_network(io.BytesIO(GRAPHML.encode()))
    assert dict(zip(graph.labels or (), graph.listed, strict=True)) == {"Ada": True, "Bo": False}
    matrix = read_network(io.BytesIO(MATRIX.encode())).listed
    assert matrix is not None
    assert matrix.tolist() == [True, True, True]
