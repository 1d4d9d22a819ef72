"""Permissions by roles in a team. Conditions on states are in `policies.py` of each app."""

from collections.abc import Iterable

from deid_portal.accounts.models import Membership, Role, Team, User
from deid_portal.web.refusals import Refused

# The roles that work on datasets and may look at counts and charts of them. Raw rows are for
# stewards alone; an analyst sees what was released and nothing before that.
DATASET_ROLES = frozenset({Role.STEWARD, Role.REVIEWER, Role.APPROVER, Role.ADMINISTRATOR})


def roles_of(user: User, team: Team) -> frozenset[Role]:
    """Return the roles a person holds in a team (asked once per request and team)."""
    known = _known_roles(user)
    if team.pk not in known:
        rows = Membership.objects.filter(user=user, team=team).values_list("role", flat=True)
        remember_roles(user, team, rows)
    return known[team.pk]


def remember_roles(user: User, team: Team, roles: Iterable[str]) -> None:
    _known_roles(user)[team.pk] = frozenset(Role(role) for role in roles)


def _known_roles(user: User) -> dict[object, frozenset[Role]]:
    known: dict[object, frozenset[Role]] = user.__dict__.setdefault("_roles_by_team", {})
    return known


def has_role(user: User, team: Team, role: Role) -> bool:
    return role in roles_of(user, team)


def check_has_role(user: User, team: Team, role: Role, action: str) -> None:
    """Refuse unless the person holds the role; `action` ends the sentence "Only stewards can …"."""
    if not has_role(user, team, role):
        raise Refused(f"Only {role.label.lower()}s of this team can {action}.")
