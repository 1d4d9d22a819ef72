from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import roles_of
from deid_portal.accounts.services import set_roles
from deid_portal.audit.models import Event
from deid_portal.web.refusals import Refused
from tests.conftest import Cast


def held(user: User, cast: Cast) -> set[Role]:
    return set(roles_of(User.objects.get(pk=user.pk), cast.team))


def test_a_person_gets_exactly_these_roles(cast: Cast, signed_in: Callable[[User], Client]) -> None:
    there = reverse("accounts:set-roles", args=[cast.steward.pk])
    signed_in(cast.administrator).post(there, {"roles": ["reviewer", "analyst"]})
    assert held(cast.steward, cast) == {Role.REVIEWER, Role.ANALYST}
    actions = Event.objects.values_list("action", flat=True)
    assert {"team.role_taken", "team.member_added"} <= set(actions)


def test_without_a_role_a_person_is_out(cast: Cast) -> None:
    set_roles(team=cast.team, user=cast.analyst, roles=[], set_by=cast.administrator)
    assert held(cast.analyst, cast) == set()


def test_a_team_keeps_an_administrator(cast: Cast) -> None:
    with pytest.raises(Refused, match="needs an administrator"):
        set_roles(team=cast.team, user=cast.administrator, roles=[], set_by=cast.administrator)
    assert held(cast.administrator, cast) == {Role.ADMINISTRATOR}


def test_strangers_cannot_be_given_roles(cast: Cast) -> None:
    with pytest.raises(Refused, match="Invite them first"):
        set_roles(
            team=cast.team,
            user=cast.outsider,
            roles=[Role.STEWARD],
            set_by=cast.administrator,
        )


def test_only_administrators_give_roles(cast: Cast) -> None:
    with pytest.raises(Refused, match="Only administrators"):
        set_roles(team=cast.team, user=cast.steward, roles=[Role.APPROVER], set_by=cast.steward)
