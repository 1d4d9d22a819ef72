from deid_portal.accounts.models import Role, User
from deid_portal.accounts.permissions import roles_of
from deid_portal.common.refusals import Refused
from deid_portal.releases.models import Release

DOWNLOAD_ROLES = frozenset({Role.STEWARD, Role.ANALYST})


def check_may_download(user: User, release: Release) -> None:
    if not roles_of(user, release.request.run.dataset.team) & DOWNLOAD_ROLES:
        raise Refused("Stewards and analysts of this team can download; you can see the numbers.")
