import hashlib
from dataclasses import dataclass
from uuid import UUID

from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.sessions.backends.base import SessionBase
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from deid_portal.accounts.models import Invitation, Membership, Role, Team, User
from deid_portal.accounts.permissions import remember_roles


def find_account(name: str) -> User | None:
    return User.objects.find(name)


def teams_of(user: User) -> QuerySet[Team]:
    return Team.objects.filter(memberships__user=user).distinct().order_by("name")


def look_up_memberships(user: User) -> None:
    """Look up, once per request, what every page needs: teams, roles, second factor.

    Only for the user of a request, who is loaded again with the next one.
    """
    memberships = list(Membership.objects.filter(user=user).select_related("team"))
    teams = {membership.team_id: membership.team for membership in memberships}
    user.__dict__["_teams"] = sorted(teams.values(), key=lambda team: team.name)
    for team in teams.values():
        held = [membership.role for membership in memberships if membership.team_id == team.pk]
        remember_roles(user, team, held)


def list_teams(user: User) -> list[Team]:
    """Return the teams of a person by name; no query once their memberships were looked up."""
    known: list[Team] | None = user.__dict__.get("_teams")
    return list(teams_of(user)) if known is None else known


def current_team(user: User, session: SessionBase) -> Team | None:
    """Return the team a person is working in: the one chosen last, else the first by name."""
    teams = list_teams(user)
    chosen = session.get("team")
    return next((team for team in teams if str(team.id) == chosen), teams[0] if teams else None)


def get_team_of(user: User, team_id: UUID) -> Team | None:
    return teams_of(user).filter(id=team_id).first()


def people_with_role(team: Team, role: Role) -> QuerySet[User]:
    return User.objects.filter(
        memberships__team=team, memberships__role=role, is_active=True
    ).order_by("username")


def needs_second_factor(user: User) -> bool:
    """Say whether any team of the person asks for one; the strictest team decides."""
    return any(team.requires_second_factor for team in list_teams(user))


def has_second_factor(user: User) -> bool:
    return bool(is_mfa_enabled(user))


def open_invitations(team: Team) -> QuerySet[Invitation]:
    return team.invitations.filter(still_open()).select_related("invited_by")


def find_invitation(token: str) -> Invitation | None:
    """Return the open invitation a link belongs to; only the hash of the link is kept."""
    sha256 = hashlib.sha256(token.encode()).hexdigest()
    found = Invitation.objects.select_related("team", "invited_by").filter(token_sha256=sha256)
    return found.filter(still_open()).first()


def still_open() -> Q:
    """Condition of valid invitations: unused, not expired, by somebody who may still invite.

    Otherwise a dismissed administrator could come back by a link of their own.
    """
    by_administrator = Membership.objects.filter(
        team=OuterRef("team"),
        user=OuterRef("invited_by"),
        user__is_active=True,
        role=Role.ADMINISTRATOR,
    )
    return Q(
        Exists(by_administrator), accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )


@dataclass(frozen=True)
class TeamMember:
    user: User
    roles: list[Role]
    has_second_factor: bool


def members_of(team: Team) -> list[TeamMember]:
    """Return everybody of a team with their roles, by name."""
    people: dict[int, TeamMember] = {}
    secured = set(
        Authenticator.objects.filter(user__memberships__team=team)
        .exclude(type=Authenticator.Type.RECOVERY_CODES)
        .values_list("user_id", flat=True)
    )
    for membership in team.memberships.select_related("user").order_by("user__username"):
        user = membership.user
        member = people.setdefault(user.pk, TeamMember(user, [], user.pk in secured))
        member.roles.append(Role(membership.role))
    return list(people.values())
