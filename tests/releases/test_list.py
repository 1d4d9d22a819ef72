"""The list of releases and the card of the home: the true state, a filter, empty words."""

from collections.abc import Callable
from datetime import timedelta

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.releases.models import Release
from tests.conftest import Cast

SignIn = Callable[[User], Client]
LIST = reverse("releases:list")


def shown(client: Client, query: str = "") -> list[tuple[str, int]]:
    lines = client.get(f"{LIST}{query}").context["lines"]
    return [(line.standing.label, line.standing.left) for line in lines]


def test_it_says_how_each_stands_and_what_is_left(
    cast: Cast, release: Release, signed_in: SignIn
) -> None:
    release.grants.filter(person=cast.steward).update(taken=1)
    assert shown(signed_in(cast.teammate)) == [("Released", 5)]
    assert shown(signed_in(cast.analyst)) == [("Released", 3)]  # the own ones only
    release.grants.update(expires_at=timezone.now() + timedelta(hours=30))
    assert shown(signed_in(cast.teammate)) == [("2 days left", 5)]
    assert "2 days left" in signed_in(cast.teammate).get(reverse("guide:home")).content.decode()


def test_it_can_be_filtered(cast: Cast, release: Release, signed_in: SignIn) -> None:
    client = signed_in(cast.steward)
    for query, count in [("?show=open", 1), ("?show=ended", 0), ("?show=withdrawn", 0)]:
        assert len(shown(client, query)) == count
    assert len(shown(client, "?q=patient")) == len(shown(client, "?q=teaching")) == 1
    page = client.get(f"{LIST}?q=whales&show=open").content.decode()
    assert "No open release has “whales” in its name or purpose." in page
    release.grants.update(expires_at=timezone.now())
    assert shown(client, "?show=ended") == [("Expired", 0)]


def test_before_the_first_there_is_a_sentence(cast: Cast, signed_in: SignIn) -> None:
    page = signed_in(cast.analyst).get(LIST).content.decode()
    assert "Nothing has been released yet." in page
