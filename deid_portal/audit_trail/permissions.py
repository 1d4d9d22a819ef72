from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.web.refusals import Refused

# Everybody who works on a dataset may look at the record; exporting it needs a role.
EXPORTING_ROLES = frozenset({Role.ADMINISTRATOR, Role.STEWARD})


def may_look(user: User, team: Team) -> bool:
    return bool(roles_of(user, team) & DATASET_ROLES)


def check_may_export(user: User, team: Team) -> None:
    if not roles_of(user, team) & EXPORTING_ROLES:
        raise Refused("Administrators and stewards of this team can export its record.")


def check_may_verify(user: User, team: Team) -> None:
    if Role.ADMINISTRATOR not in roles_of(user, team):
        raise Refused("Administrators of this team can have all records verified at once.")
