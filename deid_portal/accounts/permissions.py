"""Who may: roles in a team. In what state something may happen is the policies' question."""

from deid_portal.accounts.models import Membership, Role, Team, User
from deid_portal.common.refusals import Refused

# The roles that work on datasets and may look at counts and charts of them. Raw rows are for
# stewards alone; an analyst sees what was released and nothing before that.
DATASET_ROLES = frozenset({Role.STEWARD, Role.REVIEWER, Role.APPROVER, Role.ADMINISTRATOR})


def roles_of(user: User, team: Team) -> frozenset[Role]:
    """Return the roles a person holds in a team (asked once per request and team)."""
    cache: dict[object, frozenset[Role]] = user.__dict__.setdefault("_roles_by_team", {})
    if team.pk not in cache:
        rows = Membership.objects.filter(user=user, team=team).values_list("role", flat=True)
        cache[team.pk] = frozenset(Role(role) for role in rows)
    return cache[team.pk]


def has_role(user: User, team: Team, role: Role) -> bool:
    return role in roles_of(user, team)


def check_has_role(user: User, team: Team, role: Role, action: str) -> None:
    """Refuse unless the person holds the role; `action` ends the sentence "Only stewards can …"."""
    if not has_role(user, team, role):
        raise Refused(f"Only {role.label.lower()}s of this team can {action}.")
