from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import User
from deid_portal.accounts.services import add_member
from tests import factories
from tests.conftest import Cast
from tests.pages import Reader


def test_the_steward_signs_in_and_sees_home(cast: Cast) -> None:
    client = Reader()
    answer = client.post(
        reverse("account_login"),
        {"login": "steward", "password": "password of steward"},
        follow=True,
    )
    assert answer.status_code == 200
    assert "Nothing is waiting for you" in answer.content.decode()


def test_a_wrong_password_gets_one_sentence(cast: Cast) -> None:
    answer = Reader().post(reverse("account_login"), {"login": "steward", "password": "no"})
    assert answer.status_code == 200
    assert "form" in answer.context
    assert answer.context["form"].non_field_errors()


@pytest.mark.parametrize("theme", User.Theme.values)
def test_the_theme_is_kept_per_person(
    theme: str, cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    signed_in(cast.steward).post(reverse("accounts:set-theme"), {"theme": theme})
    cast.steward.refresh_from_db()
    assert cast.steward.theme == theme


def test_a_person_of_two_teams_switches(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    other = factories.make_team("Zoology")
    add_member(team=other, user=cast.steward, roles=["steward"], added_by=None)  # type: ignore[list-item]
    client = signed_in(cast.steward)
    client.post(reverse("accounts:switch-team"), {"team": str(other.id)})
    assert "Zoology" in client.get(reverse("guide:home")).content.decode()


def test_nobody_switches_to_a_foreign_team(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    foreign = factories.make_team("Secret service")
    answer = signed_in(cast.steward).post(
        reverse("accounts:switch-team"), {"team": str(foreign.id)}
    )
    assert answer.status_code == 404


def test_somebody_without_a_team_is_told_so(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    loner = factories.make_person("loner")
    answer = signed_in(loner).get(reverse("guide:home"))
    assert "You belong to no team yet" in answer.content.decode()


def test_pages_stay_out_of_caches(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    answer = signed_in(cast.steward).get(reverse("guide:home"))
    assert answer["Cache-Control"] == "no-store"
    policy = {part.strip() for part in answer["Content-Security-Policy"].split(";")}
    assert "default-src 'self'" in policy
    assert not [part for part in policy if "unsafe" in part]


def test_an_ended_session_leads_to_sign_in_and_not_into_a_table_row(cast: Cast) -> None:
    stands_in = "http://testserver/datasets/?show=all"
    headers = {"HX-Request": "true", "HX-Current-URL": stands_in}
    answer = Reader().get(reverse("guide:running"), headers=headers)
    assert answer.status_code == 204
    back = urlencode({"next": "/datasets/?show=all"})
    assert answer["HX-Redirect"] == f"{reverse('account_login')}?{back}"


def test_a_session_that_somebody_planted_is_another_after_sign_in(cast: Cast) -> None:
    client = Reader()
    client.get(reverse("account_login"))
    session = client.session
    session["planted"] = True
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = planted = session.session_key
    answers = {"login": "steward", "password": "password of steward"}
    client.post(reverse("account_login"), answers)
    assert client.cookies[settings.SESSION_COOKIE_NAME].value != planted
    thief = Reader()
    thief.cookies[settings.SESSION_COOKIE_NAME] = planted
    assert thief.get(reverse("guide:home")).status_code == 302
