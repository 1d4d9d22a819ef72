from collections.abc import Iterable

from django.db import transaction

from deid_portal.accounts.models import Membership, Role, Team, User
from deid_portal.audit.services import record_event


@transaction.atomic
def create_team(*, name: str, created_by: User | None = None) -> Team:
    team = Team.objects.create(name=name)
    record_event("team.created", actor=created_by, team=team, subject=team)
    return team


@transaction.atomic
def add_member(*, team: Team, user: User, roles: Iterable[Role], added_by: User | None) -> None:
    for role in roles:
        _, is_new = Membership.objects.get_or_create(team=team, user=user, role=role)
        if is_new:
            record_event(
                "team.member_added",
                actor=added_by,
                team=team,
                subject=team,
                facts={"person": user.username, "role": role},
            )


def set_theme(*, user: User, theme: str) -> None:
    """Keep a person's choice of light or dark; a matter of taste leaves no audit record."""
    user.theme = User.Theme(theme)
    user.save(update_fields=["theme"])


@transaction.atomic
def close_account(*, user: User, closed_by: User | None = None) -> None:
    """Let nobody sign in as this person again; what they did stays in the record."""
    user.set_unusable_password()
    user.is_active = False
    user.save(update_fields=["password", "is_active"])
    user.memberships.all().delete()
    record_event("account.closed", actor=closed_by, team=None, subject=user)
