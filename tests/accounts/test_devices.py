from allauth.usersessions.models import UserSession
from django.test import Client
from django.urls import reverse

from deid_portal.audit.models import Event
from tests.conftest import Cast
from tests.pages import Reader


def signed_in_from(browser: str, name: str = "steward") -> Client:
    client = Reader(HTTP_USER_AGENT=browser)
    answers = {"login": name, "password": f"password of {name}"}
    client.post(reverse("account_login"), answers)
    return client


def test_devices_are_listed_and_one_can_be_signed_out(cast: Cast) -> None:
    here, there = signed_in_from("Here"), signed_in_from("There")
    page = here.get(reverse("accounts:sessions")).content.decode()
    assert "Here" in page
    assert "There" in page
    other = UserSession.objects.get(user_agent="There")
    here.post(reverse("accounts:end-session", args=[other.id]))
    assert there.get(reverse("guide:home")).status_code == 302
    assert here.get(reverse("guide:home")).status_code == 200
    assert Event.objects.filter(action="account.session_ended").exists()


def test_all_others_can_be_signed_out_at_once(cast: Cast) -> None:
    here, there = signed_in_from("Here"), signed_in_from("There")
    here.post(reverse("accounts:end-other-sessions"))
    assert there.get(reverse("guide:home")).status_code == 302
    assert here.get(reverse("guide:home")).status_code == 200


def test_nobody_signs_out_somebody_else(cast: Cast) -> None:
    signed_in_from("Hers")
    hers = UserSession.objects.get(user_agent="Hers")
    answer = signed_in_from("His", "teammate").post(reverse("accounts:end-session", args=[hers.id]))
    assert answer.status_code == 404


def test_changing_the_password_signs_out_the_others(cast: Cast) -> None:
    here, there = signed_in_from("Here"), signed_in_from("There")
    here.post(
        reverse("account_change_password"),
        {
            "oldpassword": "password of steward",
            "password1": "another long password",
            "password2": "another long password",
        },
    )
    assert there.get(reverse("guide:home")).status_code == 302
    assert Event.objects.filter(action="account.password_changed").exists()
