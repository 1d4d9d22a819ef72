import pytest
from django.core.management import CommandError, call_command

from deid_portal.accounts.models import Role, Team
from deid_portal.accounts.permissions import roles_of
from deid_portal.audit.models import Event
from tests import factories


def test_a_person_gets_roles_in_a_new_team(db: None) -> None:
    person = factories.make_person("ada")
    call_command("member", "ada", "--team", "Registry", "--role", "steward", "--role", "approver")
    team = Team.objects.get(name="Registry")
    assert roles_of(person, team) == {Role.STEWARD, Role.APPROVER}
    assert Event.objects.filter(action="team.member_added").count() == 2


def test_an_unknown_person_gets_a_sentence(db: None) -> None:
    with pytest.raises(CommandError, match="Nobody signs in as bob"):
        call_command("member", "bob", "--team", "Registry", "--role", "steward")
    assert not Team.objects.exists()
