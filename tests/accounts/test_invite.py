from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from deid_portal.accounts.models import Invitation, Role, User
from deid_portal.accounts.permissions import roles_of
from deid_portal.accounts.services import accept_invitation, invite, revoke_invitation, set_roles
from deid_portal.audit.models import Event
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast
from tests.pages import Reader

NEW_PERSON = {"username": "newcomer", "full_name": "New Comer", "password": "long enough, really"}


def open_invitation(cast: Cast) -> tuple[Invitation, str]:
    return invite(team=cast.team, invited_by=cast.administrator, roles=[Role.REVIEWER])


def test_an_administrator_gets_a_link_once(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    client = signed_in(cast.administrator)
    client.post(reverse("accounts:invite"), {"roles": ["reviewer"], "email": "a@example.org"})
    assert "/join/" in client.get(reverse("accounts:team")).content.decode()
    assert "/join/" not in client.get(reverse("accounts:team")).content.decode()
    assert Event.objects.filter(action="team.invited").exists()


def test_the_link_itself_is_not_kept(cast: Cast) -> None:
    invitation, token = open_invitation(cast)
    assert token not in str(Invitation.objects.filter(id=invitation.id).values())


def test_a_newcomer_makes_an_account_and_is_in(cast: Cast) -> None:
    _, token = open_invitation(cast)
    client = Reader()
    there = reverse("accounts:join", args=[token])
    assert "invites you as reviewer" in client.get(there).content.decode()
    assert client.post(there, NEW_PERSON).status_code == 302
    newcomer = User.objects.get(username="newcomer")
    assert roles_of(newcomer, cast.team) == {Role.REVIEWER}
    assert client.get(reverse("guide:home")).status_code == 200


def test_somebody_with_an_account_joins_with_it(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    _, token = open_invitation(cast)
    signed_in(cast.outsider).post(reverse("accounts:join", args=[token]))
    assert roles_of(User.objects.get(pk=cast.outsider.pk), cast.team) == {Role.REVIEWER}


def test_a_link_opens_once(cast: Cast) -> None:
    invitation, token = open_invitation(cast)
    Reader().post(reverse("accounts:join", args=[token]), NEW_PERSON)
    assert Reader().get(reverse("accounts:join", args=[token])).status_code == 404
    with pytest.raises(Refused, match="used or taken back"):
        accept_invitation(invitation=invitation, accepted_by=cast.outsider)


def test_a_link_taken_back_or_expired_opens_nothing(cast: Cast) -> None:
    invitation, token = open_invitation(cast)
    revoke_invitation(invitation=invitation, revoked_by=cast.administrator)
    assert Reader().get(reverse("accounts:join", args=[token])).status_code == 404
    late, late_token = open_invitation(cast)
    Invitation.objects.filter(id=late.id).update(expires_at=timezone.now())
    assert Reader().get(reverse("accounts:join", args=[late_token])).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"username": "steward"}, "This name is taken"),
        ({"password": "short"}, "too short"),
        ({"full_name": ""}, "required"),
    ],
)
def test_a_bad_form_is_refused_and_the_link_stays_open(
    cast: Cast, wrong: dict[str, str], sentence: str
) -> None:
    _, token = open_invitation(cast)
    answer = Reader().post(reverse("accounts:join", args=[token]), NEW_PERSON | wrong)
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert Reader().get(reverse("accounts:join", args=[token])).status_code == 200


def test_an_invitation_without_a_role_is_refused(
    cast: Cast, signed_in: Callable[[User], Client]
) -> None:
    answer = signed_in(cast.administrator).post(reverse("accounts:invite"), {"email": ""})
    assert "Choose at least one role" in answer.content.decode()
    assert not Invitation.objects.exists()


def test_only_administrators_invite(cast: Cast) -> None:
    with pytest.raises(Refused, match="Only administrators"):
        invite(team=cast.team, invited_by=cast.steward, roles=[Role.STEWARD])


def test_a_link_of_somebody_who_may_no_longer_invite_opens_nothing(cast: Cast) -> None:
    """Or an administrator who has to go would come back by it."""
    invitation, token = open_invitation(cast)
    second = factories.make_person("second", cast.team, Role.ADMINISTRATOR)
    set_roles(team=cast.team, user=cast.administrator, roles=[Role.ANALYST], set_by=second)
    assert Reader().get(reverse("accounts:join", args=[token])).status_code == 404
    with pytest.raises(Refused, match="used or taken back"):
        accept_invitation(invitation=invitation, accepted_by=cast.outsider)
    assert not roles_of(cast.outsider, cast.team)
