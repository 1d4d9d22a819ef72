from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import check_has_role, has_role, roles_of
from deid_portal.releases.models import Grant, Release
from deid_portal.web.refusals import Refused

WITHDRAWING_ROLES = frozenset({Role.STEWARD, Role.APPROVER})


def team_of_release(release: Release) -> Team:
    return release.request.run.dataset.team


def check_may_hand_over(user: User, release: Release) -> None:
    """Only people who prepare releases may grant downloads and set terms."""
    check_has_role(user, team_of_release(release), Role.STEWARD, "say who may download")


def check_may_withdraw(user: User, release: Release) -> None:
    if not roles_of(user, team_of_release(release)) & WITHDRAWING_ROLES:
        raise Refused("Stewards and approvers of this team can withdraw a release.")


def check_is_named(grant: Grant | None) -> None:
    """Only the people named may download, whatever roles they hold."""
    if grant is None:
        raise Refused(
            "This release is open to the people named for it, and you are not one of them. "
            "A steward of the team can add you."
        )


def check_may_pack(user: User, release: Release, grant: Grant | None) -> None:
    """Only people who grant downloads or have a grant may request another format."""
    if grant is None and not has_role(user, team_of_release(release), Role.STEWARD):
        raise Refused("Stewards and the people named can have it packed in another format.")


def check_may_repeat(user: User, release: Release) -> None:
    check_has_role(user, team_of_release(release), Role.STEWARD, "repeat a release")
