from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import check_has_role, has_role
from deid_portal.datasets.models import Dataset


def check_can_upload(user: User, team: Team) -> None:
    check_has_role(user, team, Role.STEWARD, "upload a table")


def check_can_change(user: User, dataset: Dataset) -> None:
    check_has_role(user, dataset.team, Role.STEWARD, "change this")


def can_see_values(user: User, dataset: Dataset) -> bool:
    """Only stewards see raw values; everybody else sees counts."""
    return has_role(user, dataset.team, Role.STEWARD)
