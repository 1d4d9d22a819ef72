from django.conf import settings
from django.test import Client
from django.urls import reverse

from tests.conftest import Cast


def sign_in(name: str, password: str, address: str = "10.0.0.1") -> int:
    there, answers = reverse("account_login"), {"login": name, "password": password}
    return Client(REMOTE_ADDR=address).post(there, answers).status_code


def test_a_name_and_address_wait_after_too_many_wrong_passwords(cast: Cast) -> None:
    wrong = [sign_in("steward", "no") for _ in range(settings.AXES_FAILURE_LIMIT)]
    assert wrong[:-1] == [200] * (settings.AXES_FAILURE_LIMIT - 1)
    assert sign_in("steward", "password of steward") == 429


def test_others_and_other_addresses_do_not_wait(cast: Cast) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        sign_in("steward", "no")
    assert sign_in("teammate", "password of teammate") == 302
    assert sign_in("steward", "password of steward", address="10.0.0.2") == 302


def test_the_page_says_how_long(cast: Cast) -> None:
    there = reverse("account_login")
    for _ in range(settings.AXES_FAILURE_LIMIT + 1):
        answer = Client().post(there, {"login": "steward", "password": "no"})
    assert "about 15 minutes" in answer.content.decode()
