"""In which state a release may be downloaded, granted or withdrawn."""

from django.utils import timezone
from django.utils.formats import date_format

from deid_portal.releases.models import Grant, Release
from deid_portal.releases.permissions import check_is_named
from deid_portal.web.refusals import Refused


class Withdrawn(Refused):
    """The release was withdrawn; downloads answer as if it did not exist (404)."""


def check_not_withdrawn(release: Release) -> None:
    if release.is_withdrawn:
        raise Withdrawn("This release was withdrawn, so nobody can download it any more.")


def check_not_over(grant: Grant) -> None:
    if grant.is_over(timezone.now()):
        day = date_format(timezone.localtime(grant.expires_at), "j M Y")
        raise Refused(f"Your time to download ended on {day}. Ask for a new period.")


def check_can_continue(release: Release, grant: Grant | None) -> None:
    """A download that was begun may be resumed while the release and the period are open."""
    check_not_withdrawn(release)
    check_is_named(grant)
    if grant is not None:
        check_not_over(grant)


def check_can_download(release: Release, grant: Grant | None) -> None:
    check_can_continue(release, grant)
    if grant is not None and not grant.left:
        times = "once" if grant.allowed == 1 else f"{grant.allowed:,} times"
        raise Refused(f"You have taken it {times}, as often as you may. Ask for more.")
