"""A browser that has signed in before keeps a mark; what it is worth, and when it is not."""

import pytest
from django.core import signing
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from redis import Redis

from deid_portal.accounts.known_devices import COOKIE, MOST_MARKS, SECONDS, find_device
from deid_portal.accounts.models import User
from tests import factories
from tests.accounts.test_attempts import MOST, attack, known_device, post, sign_in
from tests.accounts.test_invite import NEW_PERSON, open_invitation
from tests.conftest import Cast


@pytest.fixture(autouse=True)
def counted_in_valkey(valkey: Redis) -> None:
    pass


def mark_of(client: Client) -> str:
    return client.cookies[COOKIE].value


def device_of(client: Client, user: User) -> str:
    request = client.get(reverse("account_login")).wsgi_request
    return find_device(request, User.objects.get(pk=user.pk))


def test_the_mark_is_for_the_server_alone_and_lasts(cast: Cast, settings: Settings) -> None:
    settings.SESSION_COOKIE_SECURE = True
    cookie = known_device("steward").cookies[COOKIE]
    assert (cookie["httponly"], cookie["secure"], cookie["samesite"]) == (True, True, "Lax")
    assert cookie["max-age"] == SECONDS
    assert "steward" not in cookie.value


def test_a_wrong_password_leaves_no_mark(cast: Cast) -> None:
    client = Client()
    post("steward", client=client)
    assert COOKIE not in client.cookies


def test_a_known_device_has_its_own_limit(cast: Cast) -> None:
    own = known_device("steward")
    assert [post("steward", client=own).status_code for _ in range(MOST + 1)] == [200] * MOST + [
        429
    ]
    assert sign_in("steward", client=own) == 429
    assert sign_in("steward", client=Client()) == 302


def test_the_mark_of_one_account_is_nothing_to_another(cast: Cast) -> None:
    own = known_device("teammate")
    assert device_of(own, cast.teammate)
    assert not device_of(own, cast.approver)
    attack("approver", 4 * MOST)
    assert sign_in("approver", client=own) == 429


@pytest.mark.parametrize("mark", ["", "~", "a:b:c", "~" * 5000])
def test_a_made_up_mark_is_none(cast: Cast, mark: str) -> None:
    client = Client()
    client.cookies[COOKIE] = mark
    assert device_of(client, cast.steward) == ""


def test_an_old_mark_is_none(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    own = known_device("steward")
    later = signing.time.time() + SECONDS + 1
    monkeypatch.setattr(signing.time, "time", lambda: later)
    assert device_of(own, cast.steward) == ""


def test_a_new_password_makes_other_marks_worthless_and_renews_its_own(cast: Cast) -> None:
    here, there = known_device("steward"), known_device("steward")
    sign_in("steward", client=here)
    new = "another long password"
    answers = {"oldpassword": "password of steward", "password1": new, "password2": new}
    assert here.post(reverse("account_change_password"), answers).status_code == 302
    assert device_of(here, cast.steward)
    assert not device_of(there, cast.steward)


def test_a_shared_workplace_knows_the_people_who_signed_in_last(cast: Cast) -> None:
    shared = Client()
    people = [factories.make_person(f"nurse{number}") for number in range(MOST_MARKS + 2)]
    for person in people:
        assert sign_in(person.username, client=shared) == 302
        shared.post(reverse("account_logout"))
    known = [bool(device_of(shared, person)) for person in people]
    assert known == [False] * 2 + [True] * MOST_MARKS
    assert len(mark_of(shared)) < 1000


def test_a_device_stays_the_same_one(cast: Cast) -> None:
    own = known_device("steward")
    before = device_of(own, cast.steward)
    sign_in("steward", client=own)
    assert device_of(own, cast.steward) == before


def test_who_joins_by_invitation_is_known_at_once(cast: Cast) -> None:
    _, token = open_invitation(cast)
    client = Client()
    client.post(reverse("accounts:join", args=[token]), NEW_PERSON)
    client.post(reverse("account_logout"))
    assert device_of(client, User.objects.get(username="newcomer"))
