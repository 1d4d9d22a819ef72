"""A code besides the password: set up, asked for at sign-in, required by a team."""

import base64
import hmac
import struct
import time

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.policies.rules import Rules
from deid_portal.policies.services import change_policy
from tests.conftest import Cast
from tests.pages import Reader

SECRET = "JBSWY3DPEHPK3PXP"


def code_of(secret: str) -> str:
    """What an authenticator app shows now (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.digest(base64.b32decode(secret), counter, "sha1")
    start = digest[-1] & 15
    (number,) = struct.unpack(">I", digest[start : start + 4])
    return f"{(number & 0x7FFFFFFF) % 1_000_000:06}"


def with_password(name: str) -> Client:
    client = Reader()
    answers = {"login": name, "password": f"password of {name}"}
    client.post(reverse("account_login"), answers)
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("guide:home")).status_code == 200


def test_the_password_alone_does_not_open_an_account_with_a_factor(cast: Cast) -> None:
    TOTP.activate(cast.steward, SECRET)
    client = with_password("steward")
    assert not is_in(client)
    client.post(reverse("mfa_authenticate"), {"code": "000000"})
    assert not is_in(client)
    client.post(reverse("mfa_authenticate"), {"code": code_of(SECRET)})
    assert is_in(client)


def test_the_secret_lies_sealed_in_the_database(cast: Cast) -> None:
    TOTP.activate(cast.steward, SECRET)
    assert SECRET not in str(Authenticator.objects.values())


def test_setting_up_asks_for_the_password_again_and_is_on_record(cast: Cast) -> None:
    client = Reader()
    client.force_login(cast.steward)
    answer = client.get(reverse("mfa_activate_totp"))
    assert answer["Location"].startswith(reverse("account_reauthenticate"))
    client.post(reverse("account_reauthenticate"), {"password": "password of steward"})
    page = client.get(reverse("mfa_activate_totp"))
    secret = page.context["form"].secret
    client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    kinds = set(Authenticator.objects.values_list("type", flat=True))
    assert kinds == {"totp", "recovery_codes"}
    assert Event.objects.filter(action="account.second_factor_added").exists()


def test_a_team_that_asks_for_it_lets_nobody_in_without(cast: Cast) -> None:
    rules = Rules(second_factor=True)
    change_policy(team=cast.team, changed_by=cast.administrator, rules=rules)
    client = with_password("steward")
    answer = client.get(reverse("datasets:list"))
    assert answer["Location"] == reverse("mfa_index")
    assert "Your team asks for a second factor" in client.get(answer["Location"]).content.decode()
    TOTP.activate(User.objects.get(pk=cast.steward.pk), SECRET)
    assert client.get(reverse("datasets:list")).status_code == 200


def test_other_teams_are_not_concerned(cast: Cast) -> None:
    rules = Rules(second_factor=True)
    change_policy(team=cast.team, changed_by=cast.administrator, rules=rules)
    assert is_in(with_password("outsider"))


def test_a_recovery_code_opens_once(cast: Cast) -> None:
    TOTP.activate(cast.steward, SECRET)
    code = RecoveryCodes.activate(cast.steward).get_unused_codes()[0]
    first, second = with_password("steward"), with_password("steward")
    first.post(reverse("mfa_authenticate"), {"code": code})
    second.post(reverse("mfa_authenticate"), {"code": code})
    assert (is_in(first), is_in(second)) == (True, False)
