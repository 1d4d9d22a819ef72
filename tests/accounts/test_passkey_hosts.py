"""A passkey button is shown where it does something; elsewhere a sentence says where that is."""

import pytest
from django.test import RequestFactory
from django.urls import reverse
from pytest_django import Settings

from deid_portal.accounts.passkeys import passkey_refusal
from tests.conftest import Cast
from tests.pages import Reader

BUTTON = "Sign in with a passkey"


@pytest.mark.parametrize(
    ("host", "secure", "words"),
    [
        ("localhost:8000", False, ""),
        ("portal.example.org", True, ""),
        ("127.0.0.1:8000", False, "open the portal as http://localhost:8000"),
        ("[::1]", False, "open the portal as http://localhost:"),
        ("192.0.2.7", True, "by its name"),
        ("portal.example.org", False, "over HTTPS"),
    ],
)
def test_where_passkeys_work(settings: Settings, host: str, secure: bool, words: str) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    refusal = passkey_refusal(RequestFactory(HTTP_HOST=host).get("/", secure=secure))
    assert bool(refusal) == bool(words)
    assert words in refusal


@pytest.mark.parametrize(("host", "is_shown"), [("localhost", True), ("127.0.0.1", False)])
def test_the_sign_in_page_shows_the_button_or_the_sentence(
    db: None, settings: Settings, host: str, is_shown: bool
) -> None:
    settings.ALLOWED_HOSTS = [host]
    page = Reader(HTTP_HOST=host).get(reverse("account_login")).content.decode()
    assert (BUTTON in page, "For passkeys, open" in page) == (is_shown, not is_shown)


def test_adding_one_is_not_offered_where_it_cannot_work(cast: Cast, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    client = Reader(HTTP_HOST="127.0.0.1")
    client.force_login(cast.steward)
    client.post(reverse("account_reauthenticate"), {"password": "password of steward"})
    page = client.get(reverse("mfa_add_webauthn")).content.decode()
    assert "open the portal as http://localhost" in page
    assert "mfa_webauthn_add" not in page
