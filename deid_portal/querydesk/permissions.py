"""Permissions: stewards open and close, stewards and analysts ask, approvers grant more."""

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import DATASET_ROLES, check_has_role, roles_of
from deid_portal.querydesk.models import Desk, Wish
from deid_portal.web.refusals import Refused

ASKING_ROLES = frozenset({Role.STEWARD, Role.ANALYST})


def check_may_open(user: User, team: Team) -> None:
    check_has_role(user, team, Role.STEWARD, "open a dataset for questions")


def check_may_ask_questions(user: User, desk: Desk) -> None:
    if not roles_of(user, desk.team) & ASKING_ROLES:
        raise Refused("Stewards and analysts of this team can ask; you see what was spent.")


def check_may_see_spending(user: User, desk: Desk) -> None:
    """Questions and prices may be seen; answers only by those who asked."""
    if not roles_of(user, desk.team) & DATASET_ROLES:
        raise Refused("What others asked is shown to those who look after the dataset.")


def check_may_grant(user: User, wish: Wish) -> None:
    check_has_role(user, wish.desk.team, Role.APPROVER, "grant more budget")
    if wish.asked_by_id == user.pk:
        raise Refused("You asked for it yourself, so another approver decides.")
