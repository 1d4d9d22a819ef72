"""Wrong passwords at the sign-in page: who has to wait after how many, and who has not."""

import unicodedata
from itertools import count, product

import pytest
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from redis import Redis

from deid_portal.accounts.models import User
from deid_portal.accounts.services import close_account
from deid_portal.audit.models import Event
from tests import factories
from tests.conftest import Cast

HOME = "192.0.2.1"
MOST = settings.SIGN_IN_ATTEMPTS
strangers = (f"198.51.{high}.{low}" for high, low in product(range(256), range(256)))


@pytest.fixture(autouse=True)
def counted_in_valkey(valkey: Redis) -> None:
    pass


def post(
    name: str, password: str = "no", address: str = HOME, client: Client | None = None
) -> HttpResponse:
    client = client or Client()
    answers = {"login": name, "password": password}
    return client.post(reverse("account_login"), answers, REMOTE_ADDR=address)  # type: ignore[return-value]


def sign_in(name: str, address: str = HOME, client: Client | None = None) -> int:
    return post(name, f"password of {name.lower()}", address, client).status_code


def known_device(name: str) -> Client:
    """A browser that has signed in before and is signed out."""
    client = Client()
    assert sign_in(name, client=client) == 302
    client.post(reverse("account_logout"))
    return client


def attack(name: str, times: int) -> list[int]:
    """Wrong passwords, each from another network."""
    return [post(name, address=next(strangers)).status_code for _ in range(times)]


def sentence(answer: HttpResponse) -> str:
    return str(answer.context["form"].non_field_errors()[0])  # type: ignore[attr-defined]


def test_after_so_many_wrong_passwords_one_waits(cast: Cast) -> None:
    assert [post("steward").status_code for _ in range(MOST)] == [200] * MOST
    refused = post("steward", "password of steward")
    assert refused.status_code == 429
    assert 840 <= int(refused["Retry-After"]) <= 901


def test_every_spelling_of_a_name_is_one_account(cast: Cast) -> None:
    spellings = ["steward", "Steward", "STEWARD", "sTeward", "stewarD", " steward", "StEwArD"]
    answers = [post(name).status_code for name in [*spellings, "ｓteward", "SteWard"]]
    assert answers == [200] * MOST + [429] * (9 - MOST)


def test_spellings_of_a_name_that_is_no_account_are_one_as_well(cast: Cast) -> None:
    names = ["Nobody", "nobody", "NOBODY", "ｎobody", "nobodY", "nObody"]
    assert [post(name).status_code for name in names] == [200] * MOST + [429]


@pytest.mark.parametrize("typed", ["ÜNAL.ÇELİK", "u\u0308nal.C\u0327eli\u0307k", "ünal.çeli̇k"])
def test_a_name_is_found_in_any_spelling(cast: Cast, typed: str) -> None:
    factories.make_person("Ünal.Çelİk")
    assert post(typed, "password of Ünal.Çelİk").status_code == 302
    assert unicodedata.is_normalized(
        "NFKC", User.objects.get(folded_username="ünal.çeli̇k").username
    )


def test_others_and_other_networks_do_not_wait(cast: Cast) -> None:
    for _ in range(MOST):
        post("steward")
    assert sign_in("teammate") == 302
    assert sign_in("steward", address="192.0.2.2") == 302


@pytest.mark.parametrize(
    ("first", "second"),
    [("2001:db8:1:1::1", "2001:db8:1:1:ffff::2"), ("192.0.2.9", "::ffff:192.0.2.9")],
)
def test_addresses_of_one_network_count_together(cast: Cast, first: str, second: str) -> None:
    for _ in range(MOST):
        post("steward", address=first)
    assert post("steward", address=second).status_code == 429


def test_a_made_up_forwarded_address_helps_nobody(cast: Cast, settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1
    made_up = count(1)

    def guess() -> int:
        client = Client(headers={"X-Forwarded-For": f"203.0.113.{next(made_up)}, {HOME}"})
        return post("steward", address="10.0.0.1", client=client).status_code

    assert [guess() for _ in range(MOST + 1)] == [200] * MOST + [429]


def test_ten_wrong_passwords_from_anywhere_lock_nobody_out(cast: Cast) -> None:
    assert attack("approver", 10) == [200] * 10
    assert sign_in("approver") == 302


def test_a_guesser_with_many_networks_is_slowed_down(cast: Cast) -> None:
    assert attack("approver", 25) == [200] * (4 * MOST) + [429] * 5


def test_strangers_do_not_lock_out_a_known_device(cast: Cast) -> None:
    own = known_device("approver")
    attack("approver", 25)
    for _ in range(MOST):
        post("approver")  # from the same network, too
    assert sign_in("approver") == 429
    assert sign_in("approver", client=own) == 302


def test_a_guesser_with_many_accounts_is_slowed_down(cast: Cast, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 2
    own = known_device("teammate")
    answers = [post(f"person{number}").status_code for number in range(22)]
    assert answers == [200] * 20 + [429] * 2
    assert sign_in("steward") == 429
    assert sign_in("teammate", client=own) == 302
    assert sign_in("steward", address="192.0.2.2") == 302


def test_a_right_password_gives_back_its_own_tries_and_no_others(cast: Cast) -> None:
    for _ in range(MOST - 1):
        post("steward")
    assert sign_in("steward") == 302
    assert [post("steward").status_code for _ in range(MOST + 1)] == [200] * MOST + [429]
    assert attack("steward", 4 * MOST)[-(2 * MOST - 1) :] == [429] * (2 * MOST - 1)


def test_many_people_of_one_network_sign_in_without_waiting(cast: Cast, settings: Settings) -> None:
    settings.SIGN_IN_ATTEMPTS = 1
    names = ["steward", "teammate", "reviewer", "approver", "analyst"] * 3
    assert {sign_in(name) for name in names} == {302}


def test_an_unknown_name_gets_the_same_sentence_after_as_many_tries(cast: Cast) -> None:
    for name in ("steward", "nobody"):
        assert [sentence(post(name)) for _ in range(MOST)] == [
            "Name and password do not fit together. "
            "Capital letters matter in the password, not in the name."
        ] * MOST
    said = {sentence(post(name)) for name in ("steward", "nobody")}
    assert said == {
        "Too many wrong tries: wait about 15 minutes and try again, or use a passkey or a browser "
        "you have signed in with before; whoever has forgotten the password asks an administrator "
        "of the team."
    }


@pytest.mark.parametrize("name", ["steward", "nobody", "closed"])
def test_one_password_is_hashed_whether_the_account_exists_or_not(
    cast: Cast, settings: Settings, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    monkeypatch.setattr(Argon2PasswordHasher, "memory_cost", 1024)
    for made in ("steward", "closed"):
        user = User.objects.filter(username=made).first() or factories.make_person(made)
        user.set_password("something else")
        user.save()
    close_account(user=User.objects.get(username="closed"))
    hashed = []
    for work in ("encode", "verify"):
        original = getattr(Argon2PasswordHasher, work)
        monkeypatch.setattr(
            Argon2PasswordHasher,
            work,
            lambda *args, original=original: hashed.append(1) or original(*args),
        )
    assert post(name).status_code == 200
    assert len(hashed) == 1


def test_a_wrong_password_is_on_record_with_the_account(cast: Cast) -> None:
    for _ in range(MOST + 1):
        post("Steward")
    events = Event.objects.filter(action="account.sign_in_failed")
    assert {(event.subject_name, event.actor) for event in events} == {("steward", None)}
    assert events.count() == MOST
    assert events[0].facts == {
        "secret": "password",
        "network": HOME,
        "known_device": False,
        "reached_limit": True,
    }


def test_what_was_typed_as_a_name_is_kept_nowhere(cast: Cast, valkey: Redis) -> None:
    post("correct horse battery")
    event = Event.objects.get(action="account.sign_in_failed")
    assert (event.subject_kind, event.subject_name) == ("portal", "")
    kept = [str(Event.objects.values()), *map(str, valkey.scan_iter())]
    assert len(kept) == 4
    assert not [
        text for text in kept if "horse" in text or HOME in text.replace(str(event.facts), "")
    ]


def test_counters_go_by_themselves(cast: Cast, valkey: Redis) -> None:
    post("steward")
    assert [0 < valkey.ttl(key) <= 900 for key in valkey.scan_iter()] == [True] * 3


def test_without_redis_one_signs_in_and_guesses_less(cast: Cast, settings: Settings) -> None:
    settings.CELERY_BROKER_URL = "redis+socket:///nowhere/nobody.sock"
    assert [post("steward").status_code for _ in range(3)] == [200, 200, 429]
    assert sign_in("teammate") == 302
