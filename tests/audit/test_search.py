from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.audit.services import record_event
from deid_portal.audit.verification import verify_chain
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
SHOW = "/audit/"


@pytest.fixture
def page(cast: Cast, signed_in: SignIn) -> Callable[..., list[Event]]:
    client = signed_in(cast.administrator)

    def search(**wanted: object) -> list[Event]:
        return [row.event for row in client.get(SHOW, wanted).context["rows"]]

    return search


def test_words_person_action_object_and_kind(cast: Cast, page: Callable[..., list[Event]]) -> None:
    first = factories.make_upload(cast.steward, cast.team)
    factories.make_upload(cast.teammate, cast.team)
    assert {event.actor for event in page(person=cast.steward.pk)} == {cast.steward}
    assert {event.action for event in page(action="dataset.uploaded")} == {"dataset.uploaded"}
    assert {event.subject_id for event in page(object=str(first.id))} == {str(first.id)}
    assert {event.subject_kind for event in page(kind="team")} == {"team"}
    assert [event.actor for event in page(words="uploaded teammate")] == [cast.teammate]
    assert page(words="nobody said this") == []


def test_the_portal_itself_is_somebody(cast: Cast, page: Callable[..., list[Event]]) -> None:
    assert {event.actor for event in page(person="portal")} == {None}


def test_days_are_whole_days(cast: Cast, page: Callable[..., list[Event]]) -> None:
    today = timezone.localdate()
    assert page(since=today, until=today)
    assert page(until=today - timedelta(days=1)) == []
    assert page(since=today + timedelta(days=1)) == []


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"since": "31.2.2026"}, "This is no day"),
        ({"since": "2026-11-02", "until": "2026-11-01"}, "The last day comes before the first."),
        ({"action": "no.such"}, "Nothing of this is on record"),
    ],
)
def test_a_search_that_makes_no_sense_says_so(
    wanted: dict[str, str], words: str, cast: Cast, signed_in: SignIn
) -> None:
    page = signed_in(cast.steward).get(SHOW, wanted)
    assert words in page.content.decode()
    assert page.context["rows"] == []


def test_pages_keep_the_search_and_cost_the_same(
    cast: Cast, signed_in: SignIn, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with transaction.atomic():
        for _ in range(60):
            record_event("run.tried", actor=cast.steward, team=cast.team, subject=cast.team)
    client = signed_in(cast.steward)
    client.get(SHOW)
    with django_assert_max_num_queries(18):
        page = client.get(SHOW, {"action": "run.tried", "page": "2"})
    assert len(page.context["rows"]) == 10
    assert "?page=1&amp;action=run.tried" in page.content.decode()


def test_nothing_of_another_team_is_found_or_offered(cast: Cast, signed_in: SignIn) -> None:
    secret = factories.make_team("Secret office")
    with transaction.atomic():
        record_event("secret.kept", actor=cast.analyst, team=secret, subject=secret)
    client = signed_in(cast.administrator)
    for wanted in ({}, {"words": "Secret"}, {"object": str(secret.id)}):
        page = client.get(SHOW, wanted).content.decode()
        assert "Secret office" not in page
        assert "secret.kept" not in page


def test_the_page_says_when_the_chain_was_verified(cast: Cast, signed_in: SignIn) -> None:
    client = signed_in(cast.reviewer)
    assert "has not been verified yet" in client.get(SHOW).content.decode()
    verify_chain()
    assert "The chain is intact." in client.get(SHOW).content.decode()
