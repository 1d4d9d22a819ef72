"""Other forms that ask for a secret count wrong attempts by the same rules."""

from json import dumps

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.core.cache import cache
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from redis import Redis

from deid_portal.accounts.models import Invitation
from deid_portal.audit.models import Event
from tests.accounts.test_attempts import HOME, MOST, post, strangers
from tests.accounts.test_invite import NEW_PERSON, open_invitation
from tests.accounts.test_second_factor import SECRET, code_of, is_in, with_password
from tests.conftest import Cast
from tests.pages import Reader

# What a browser sends that has no passkey of ours: well-formed, signed by nobody.
JUNK = {
    "id": "AAAA",
    "rawId": "AAAA",
    "type": "public-key",
    "response": {"clientDataJSON": "e30", "authenticatorData": "AAAA", "signature": "AAAA"},
}


@pytest.fixture(autouse=True)
def counted_in_valkey(valkey: Redis) -> None:
    pass


def give(client: Client, name: str, **answers: str) -> HttpResponse:
    return client.post(reverse(name), answers)  # type: ignore[return-value]


def statuses(client: Client, name: str, **answers: str) -> list[int]:
    return [give(client, name, **answers).status_code for _ in range(MOST + 1)]


def signed_in(cast: Cast) -> Client:
    client = Reader()
    client.force_login(cast.steward)
    return client


LIMITED = [200] * MOST + [429]


def test_codes_at_sign_in(cast: Cast) -> None:
    TOTP.activate(cast.steward, SECRET)
    client = with_password("steward")
    assert statuses(client, "mfa_authenticate", code="000000") == LIMITED
    answer = give(client, "mfa_authenticate", code=code_of(SECRET))
    assert "Too many wrong tries: wait about 15 minutes" in answer.content.decode()
    assert not is_in(client)


def test_recovery_codes_share_the_limit_of_codes(cast: Cast) -> None:
    TOTP.activate(cast.steward, SECRET)
    code = RecoveryCodes.activate(cast.steward).get_unused_codes()[0]
    client = with_password("steward")
    assert statuses(client, "mfa_authenticate", code="99999999") == LIMITED
    assert give(client, "mfa_authenticate", code=code).status_code == 429


def test_codes_from_many_networks(cast: Cast) -> None:
    """Who gets this far has the password: no more tries from everywhere than from one place."""
    TOTP.activate(cast.steward, SECRET)
    answers = []
    for _ in range(MOST + 1):
        client = with_password("steward")
        there = {"REMOTE_ADDR": next(strangers)}
        answers.append(client.post(reverse("mfa_authenticate"), {"code": "0"}, **there).status_code)
    assert answers == LIMITED


def test_strangers_do_not_lock_out_who_has_password_and_second_factor(cast: Cast) -> None:
    TOTP.activate(cast.approver, SECRET)
    for name in ("approver", "steward"):
        for _ in range(4 * MOST):
            there = {"REMOTE_ADDR": next(strangers)}
            Reader().post(reverse("account_login"), {"login": name, "password": "no"}, **there)
    own = with_password("approver")
    give(own, "mfa_authenticate", code=code_of(SECRET))
    assert is_in(own)
    # Where the password is all there is, even the right one waits; so does every wrong one.
    answers = [
        Reader().post(reverse("account_login"), {"login": name, "password": password})
        for name, password in [
            ("approver", "no"), ("steward", "no"), ("steward", "password of steward"),
        ]
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [429] * 3
    assert len({str(answer.context["form"].non_field_errors()) for answer in answers}) == 1


def test_wrong_codes_of_a_thief_do_not_lock_out_a_known_device(cast: Cast) -> None:
    own = with_password("steward")
    own.post(reverse("account_logout"))
    TOTP.activate(cast.steward, SECRET)
    statuses(with_password("steward"), "mfa_authenticate", code="000000")
    own.post(reverse("account_login"), {"login": "steward", "password": "password of steward"})
    give(own, "mfa_authenticate", code=code_of(SECRET))
    assert is_in(own)


def test_a_code_opens_once_whichever_process_is_asked(cast: Cast) -> None:
    TOTP.activate(cast.steward, SECRET)
    first, second = with_password("steward"), with_password("steward")
    code = code_of(SECRET)
    give(first, "mfa_authenticate", code=code)
    cache.clear()  # the other process has its own memory
    give(second, "mfa_authenticate", code=f"{code[:3]} {code[3:]}")
    assert (is_in(first), is_in(second)) == (True, False)


def test_the_password_asked_for_again(cast: Cast) -> None:
    client = signed_in(cast)
    assert statuses(client, "account_reauthenticate", password="no") == LIMITED
    event = Event.objects.filter(action="account.confirmation_failed")[0]
    assert (event.actor, event.subject_name) == (cast.steward, "steward")


def test_the_password_asked_for_before_a_new_one(cast: Cast) -> None:
    new = "another long password"
    answers = {"oldpassword": "no", "password1": new, "password2": new}
    client = signed_in(cast)
    assert statuses(client, "account_change_password", **answers) == LIMITED
    right = answers | {"oldpassword": "password of steward"}
    assert give(client, "account_change_password", **right).status_code == 429


def test_guesses_at_one_password_count_together_at_all_doors(cast: Cast) -> None:
    client = signed_in(cast)
    for _ in range(MOST):
        give(client, "account_reauthenticate", password="no")
    assert post("steward", address="127.0.0.1").status_code == 429


def test_codes_asked_for_again(cast: Cast) -> None:
    TOTP.activate(cast.steward, SECRET)
    client = signed_in(cast)
    assert statuses(client, "mfa_reauthenticate", code="000000") == LIMITED
    answer = give(client, "mfa_reauthenticate", code="000000")
    assert "wait about 15 minutes and try again." in answer.content.decode()


def test_codes_of_a_new_app(cast: Cast) -> None:
    client = signed_in(cast)
    give(client, "account_reauthenticate", password="password of steward")
    client.get(reverse("mfa_activate_totp"))
    assert statuses(client, "mfa_activate_totp", code="000000") == LIMITED


@pytest.fixture
def one_try(settings: Settings) -> None:
    """Then a network has ten."""
    settings.SIGN_IN_ATTEMPTS = 1


def test_wrong_passkeys_are_counted_and_on_record(cast: Cast, one_try: None) -> None:
    """The right one is not locked out: tests/journeys/test_sign_in.py, with a real one."""
    client = Reader()
    for _ in range(12):
        give(client, "mfa_login_webauthn", credential=dumps(JUNK))
    failed = Event.objects.filter(action="account.sign_in_failed")
    assert failed.count() == 10
    assert failed[0].facts["secret"] == "passkey"
    assert "Too many wrong tries" in client.get(reverse("account_login")).content.decode()


def test_links_of_invitations(cast: Cast, one_try: None) -> None:
    client = Reader(REMOTE_ADDR=HOME)
    wrong = reverse("accounts:join", args=["made-up"])
    assert {client.get(wrong).status_code for _ in range(10)} == {404}
    refused = client.get(wrong)
    assert refused.status_code == 429
    assert "Too many wrong tries: wait about 15 minutes" in refused.content.decode()
    _, token = open_invitation(cast)
    right = reverse("accounts:join", args=[token])
    assert client.post(right, NEW_PERSON).status_code == 302


def test_an_invitation_is_no_way_to_learn_names(cast: Cast, one_try: None) -> None:
    _, token = open_invitation(cast)
    there = reverse("accounts:join", args=[token])
    taken = NEW_PERSON | {"username": "STEWARD"}
    answers = [Reader().post(there, taken) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [422] * 10 + [429]
    assert "This name is taken" in answers[0].content.decode()
    assert "This name is taken" not in answers[-1].content.decode()
    assert Invitation.objects.get().accepted_at is None
