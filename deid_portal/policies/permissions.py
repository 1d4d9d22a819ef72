from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import check_has_role


def check_can_change_policy(user: User, team: Team) -> None:
    check_has_role(user, team, Role.ADMINISTRATOR, "change the policy")
