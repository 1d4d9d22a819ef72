from uuid import UUID

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import QuerySet

from deid_portal.accounts.models import Role, Team, User


def teams_of(user: User) -> QuerySet[Team]:
    return Team.objects.filter(memberships__user=user).distinct().order_by("name")


def current_team(user: User, session: SessionBase) -> Team | None:
    """Return the team a person is working in: the one chosen last, else the first by name."""
    teams = list(teams_of(user))
    chosen = session.get("team")
    return next((team for team in teams if str(team.id) == chosen), teams[0] if teams else None)


def get_team_of(user: User, team_id: UUID) -> Team | None:
    return teams_of(user).filter(id=team_id).first()


def people_with_role(team: Team, role: Role) -> QuerySet[User]:
    return User.objects.filter(
        memberships__team=team, memberships__role=role, is_active=True
    ).order_by("username")
