"""A network is opened for questions: links or people protected, asked, paid, answered, refused."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.datasets.models import Dataset
from deid_portal.querydesk.ledger import balance_of
from deid_portal.querydesk.models import Desk, Question
from deid_portal.querydesk.released_answers import read_answers, sum_prices, to_documents
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast
from tests.networks.worlds import make_network

SignIn = Callable[[User], Client]
CLUBS = {"club": {"values": ["Mr. Hi", "Officer"]}}
PEOPLE: dict[str, Any] = {"protects": "people", "people": "listed", "bound": 20, "domains": CLUBS}
LINKS: dict[str, Any] = {"protects": "links", "people": "linked", "size": 34, "domains": {}}


@pytest.fixture
def club(cast: Cast) -> Dataset:
    """The karate club with its table of people."""
    return make_network(cast.steward, cast.team, people=True)


@pytest.fixture
def desk(cast: Cast, club: Dataset) -> Desk:
    return factories.make_desk(cast.steward, cast.team, club, setting=PEOPLE)


def _terms(**changes: Any) -> dict[str, Any]:
    return {
        "protects": "people",
        "bound": "20",
        "open-0": "on",
        "kind-0": "list",
        "values-0": "Mr. Hi\nOfficer\n",
        "total": "20",
        "analyst": "5",
        "period": "quarter",
        "smallest": "0.05",
        **changes,
    }


def test_open_a_network(cast: Cast, club: Dataset, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    assert "Karate club" in client.get("/query-desk/").content.decode()
    page = client.get(f"/query-desk/open/{club.id}/").content.decode()
    assert "Links of a person that count" in page
    assert "who is who" not in page
    answer = client.post(f"/query-desk/open/{club.id}/", _terms())
    desk = Desk.objects.get()
    assert answer["Location"] == f"/query-desk/{desk.id}/accounts/"
    assert desk.current.setting == PEOPLE
    facts = Event.objects.get(action="desk.opened").facts
    assert (facts["protects"], facts["bound"]) == ("people", 20)
    assert "20 links of a person count" in client.get(answer["Location"]).content.decode()
    again = client.get(f"/query-desk/open/{club.id}/").content.decode()
    assert 'value="20"' in again


def test_a_network_of_links_alone_needs_no_columns(cast: Cast, signed_in: SignIn) -> None:
    bare = make_network(cast.steward, cast.team)
    client = signed_in(cast.steward)
    assert "nothing to declare" in client.get(f"/query-desk/open/{bare.id}/").content.decode()
    terms = _terms(protects="links", bound="", size="34")
    assert client.post(f"/query-desk/open/{bare.id}/", terms).status_code == 302
    assert Desk.objects.get().current.setting == LINKS


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"protects": ""}, "nothing is assumed"),
        ({"protects": "rows"}, "Select a valid choice"),
        ({"bound": ""}, "Say how many links of a person count"),
        ({"bound": "0"}, "greater than or equal to 1"),
        ({"bound": "many"}, "whole number"),
        ({"values-0": ""}, "one value per line"),
        ({"total": "nan"}, "number is needed"),
    ],
)
def test_terms_that_make_no_sense_are_refused(
    cast: Cast, club: Dataset, signed_in: SignIn, changes: dict[str, str], sentence: str
) -> None:
    answer = signed_in(cast.steward).post(f"/query-desk/open/{club.id}/", _terms(**changes))
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Desk.objects.exists()


def test_terms_must_be_of_a_network(cast: Cast, club: Dataset) -> None:
    with pytest.raises(Refused, match="this is a network"):
        factories.make_desk(cast.steward, cast.team, club)
    with pytest.raises(Refused, match="this is a table"):
        factories.make_desk(cast.steward, cast.team, setting=PEOPLE)
    bare = make_network(cast.steward, cast.team)
    with pytest.raises(Refused, match="no list of people"):
        factories.make_desk(cast.steward, cast.team, bare, setting=PEOPLE)


@pytest.mark.parametrize(
    ("asked", "sensitivity", "near"),
    [
        ({"query": "links"}, 20, 78),
        ({"query": "people-with-links", "least": 3}, 21, 22),
        ({"query": "average-links"}, 40, 4.6),
        ({"query": "count"}, 1, 34),
    ],
)
def test_questions_are_answered_and_paid(
    cast: Cast, desk: Desk, asked: dict[str, Any], sensitivity: int, near: float
) -> None:
    question = factories.answer_question(
        factories.ask_about(desk, cast.analyst, epsilon=5, **asked)
    )
    assert question.status == Question.Status.FINISHED
    assert question.answer["sensitivity"] == sensitivity
    assert question.answer["protects"] == "people"
    assert question.answer["value"] == pytest.approx(near, abs=15 * sensitivity)
    assert balance_of(desk, cast.analyst).left == 0


def test_the_same_question_again_is_free_until_the_network_is_another(
    cast: Cast, desk: Desk, club: Dataset
) -> None:
    asked = {"query": "degree-histogram", "most": 5}
    first = factories.answer_question(factories.ask_about(desk, cast.analyst, **asked))
    again = factories.ask_about(desk, cast.steward, **asked)
    assert again.is_free
    assert again.source.answer == first.answer
    other = {**PEOPLE, "bound": 10}
    later = factories.make_desk(cast.steward, cast.team, club, setting=other)
    assert not factories.ask_about(later, cast.analyst, **asked).is_free


def test_links_protect_nobody_in_a_table(cast: Cast, club: Dataset, signed_in: SignIn) -> None:
    setting = {**LINKS, "people": "listed", "domains": CLUBS}
    desk = factories.make_desk(cast.steward, cast.team, club, setting=setting)
    page = signed_in(cast.analyst).get(f"/query-desk/{desk.id}/").content.decode()
    assert 'id="kind-links"' in page
    assert 'id="kind-count"' not in page
    with pytest.raises(Exception, match="would protect nobody"):
        factories.ask_about(desk, cast.analyst)
    assert balance_of(desk, cast.analyst).left == 5_000_000


def test_the_page_prices_and_asks(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    client = signed_in(cast.analyst)
    page = client.get(f"/query-desk/{desk.id}/").content.decode()
    assert "one person with all links; 20 links of a person count" in page
    form = {
        "kind": "people-with-links",
        "f-least": "3",
        "conditions": "1",
        "c0-column": "club",
        "c0-test": "is",
        "c0-value": "Officer",
        "accuracy": "30",
    }
    priced = client.post(f"/query-desk/{desk.id}/price/", form).content.decode()
    assert "Nineteen answers in twenty lie within 30" in priced
    assert "changes by at most 21" in priced
    key = "00000000-0000-4000-8000-000000000001"
    client.post(f"/query-desk/{desk.id}/ask/", {**form, "key": key, "seen_terms": "1"})
    question = Question.objects.get()
    assert question.words == "How many people have at least 3 links, where club is Officer?"
    factories.answer_question(question)
    shown = client.get(f"/query-desk/questions/{question.id}/").content.decode()
    assert "with at most 20 links per person, lies between" in shown
    assert "neighbors by adding or removing one person with all links" in shown
    bad = client.post(f"/query-desk/{desk.id}/price/", {**form, "f-least": "21"})
    assert "at most 20 links of a person count" in bad.content.decode()


def test_a_spread_of_links_is_drawn(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    asked = {"query": "degree-histogram", "begins": [0, 1, 2, 5]}
    question = factories.answer_question(factories.ask_about(desk, cast.analyst, **asked))
    page = signed_in(cast.analyst).get(f"/query-desk/questions/{question.id}/").content.decode()
    for label in ("2–4", "5 or more"):
        assert label in page


def test_answers_go_with_a_release(cast: Cast, desk: Desk) -> None:
    question = factories.answer_question(factories.ask_about(desk, cast.steward, query="links"))
    handed = read_answers(to_documents([question]))
    assert handed[0].neighbour_words == "one person with all links is added or taken away"
    assert sum_prices(handed) == [
        "ε 1.00 in all, where one person with all links is added or taken away"
    ]


def test_an_outsider_finds_nothing(cast: Cast, desk: Desk, signed_in: SignIn) -> None:
    client = signed_in(cast.outsider)
    assert client.get(f"/query-desk/{desk.id}/").status_code == 404
    assert client.get(f"/query-desk/open/{desk.current.dataset_id}/").status_code == 404
    assert signed_in(cast.analyst).get(
        f"/query-desk/open/{desk.current.dataset_id}/"
    ).status_code in (403, 404)
