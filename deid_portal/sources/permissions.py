from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import check_has_role


def check_can_read_databases(user: User, team: Team) -> None:
    check_has_role(user, team, Role.STEWARD, "read from a database")
