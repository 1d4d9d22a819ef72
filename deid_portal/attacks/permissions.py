from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import check_has_role
from deid_portal.runs.models import Run


def check_may_attack(user: User, run: Run) -> None:
    check_has_role(user, run.dataset.team, Role.STEWARD, "attack a release")
