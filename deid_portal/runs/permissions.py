from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import check_has_role
from deid_portal.datasets.models import Dataset


def check_can_run(user: User, dataset: Dataset) -> None:
    check_has_role(user, dataset.team, Role.STEWARD, "start or stop runs")
