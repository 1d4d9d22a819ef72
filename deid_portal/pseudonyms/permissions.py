from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import check_has_role


def check_can_rotate(user: User, team: Team) -> None:
    check_has_role(user, team, Role.ADMINISTRATOR, "change the key of its pseudonyms")


def check_can_look_up(user: User, team: Team) -> None:
    check_has_role(user, team, Role.ADMINISTRATOR, "look up who is behind a pseudonym")
