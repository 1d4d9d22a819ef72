"""The access state of a release for a viewer: one word, until when, and for how many people.

Computed from the grants and the time whenever a page is rendered, so it is up to date; the state of
the request is changed later by the scheduler.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from math import ceil

from django.utils import timezone
from django.utils.formats import date_format

from deid_portal.releases.models import Grant, Package, Release

LAST_DAYS = 3
SECONDS_OF_A_DAY = 24 * 3600


class AccessState(StrEnum):
    PACKING = "packing"
    OPEN = "open"
    LAST_DAYS = "last-days"
    USED_UP = "used-up"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    CLOSED = "closed"  # nobody has a grant, or the viewer has none


# Kind and icon of the status pill; its text depends on the numbers.
LOOKS = {
    AccessState.PACKING: ("info", "loader"),
    AccessState.OPEN: ("ok", ""),
    AccessState.LAST_DAYS: ("warn", "clock"),
    AccessState.USED_UP: ("neutral", "package"),
    AccessState.EXPIRED: ("neutral", "clock"),
    AccessState.WITHDRAWN: ("bad", "ban"),
    AccessState.CLOSED: ("neutral", "lock"),
}


@dataclass(frozen=True)
class ReleaseStanding:
    state: AccessState
    until: datetime | None = None  # end of the last period, open ones first
    people: int = 0  # number of people who can still download
    left: int = 0  # remaining downloads of all people
    days_left: int = 0
    is_packed: bool = True

    @property
    def kind(self) -> str:
        return LOOKS[self.state][0]

    @property
    def icon(self) -> str:
        return LOOKS[self.state][1]

    @property
    def is_open(self) -> bool:
        return (
            self.state in (AccessState.OPEN, AccessState.LAST_DAYS, AccessState.PACKING)
            and self.people > 0
        )

    @property
    def label(self) -> str:
        if self.state is AccessState.LAST_DAYS:
            return days_left_words(self.days_left)
        return {
            AccessState.PACKING: "Being packed",
            AccessState.OPEN: "Released",
            AccessState.USED_UP: "Used up",
            AccessState.EXPIRED: "Expired",
            AccessState.WITHDRAWN: "Withdrawn",
            AccessState.CLOSED: "Not open",
        }[self.state]


def stand(
    release: Release, grants: Sequence[Grant], package: Package | None, now: datetime | None = None
) -> ReleaseStanding:
    """Return the access state of a release, given the grants that the viewer may see."""
    now = now or timezone.now()
    if release.withdrawn_at is not None:
        return ReleaseStanding(AccessState.WITHDRAWN, release.withdrawn_at)
    running = [grant for grant in grants if not grant.is_over(now)]
    usable = [grant for grant in running if grant.left]
    is_packed = package is not None and package.is_ready
    if not grants:
        return ReleaseStanding(AccessState.CLOSED, is_packed=is_packed)
    until = max(grant.expires_at for grant in usable or running or grants)
    if not running:
        return ReleaseStanding(AccessState.EXPIRED, until, is_packed=is_packed)
    if not usable:
        return ReleaseStanding(AccessState.USED_UP, until, is_packed=is_packed)
    days_left = ceil((until - now).total_seconds() / SECONDS_OF_A_DAY)
    state = AccessState.LAST_DAYS if days_left <= LAST_DAYS else AccessState.OPEN
    left = sum(grant.left for grant in usable)
    packed_state = state if is_packed else AccessState.PACKING
    return ReleaseStanding(packed_state, until, len(usable), left, days_left, is_packed)


def title_for_team(release: Release, standing: ReleaseStanding) -> str:
    name = f"Release {release.number}"
    until = day_of(standing.until) if standing.until else ""
    people = "1 person" if standing.people == 1 else f"{standing.people:,} people"
    return {
        AccessState.PACKING: f"{name} is being packed",
        AccessState.OPEN: f"{name} is open to {people} until {until}",
        AccessState.LAST_DAYS: f"{name} is open to {people} until {until}",
        AccessState.USED_UP: f"{name} was taken as often as allowed",
        AccessState.EXPIRED: f"{name} expired on {until}",
        AccessState.WITHDRAWN: f"{name} was withdrawn on {until}",
        AccessState.CLOSED: f"{name} is open to nobody yet",
    }[standing.state]


def title_for_one(release: Release, standing: ReleaseStanding) -> str:
    """The same for a viewer who may not see the grants of others."""
    name = f"Release {release.number}"
    until = day_of(standing.until) if standing.until else ""
    return {
        AccessState.PACKING: f"{name} is being packed",
        AccessState.OPEN: f"{name} is open to you until {until}",
        AccessState.LAST_DAYS: f"{name} is open to you until {until}",
        AccessState.USED_UP: f"You have taken release {release.number} as often as you may",
        AccessState.EXPIRED: f"Your time to take release {release.number} ended on {until}",
        AccessState.WITHDRAWN: f"{name} was withdrawn on {until}",
        AccessState.CLOSED: f"{name} is not open to you",
    }[standing.state]


def days_left_words(days: int) -> str:
    return "1 day left" if days == 1 else f"{days:,} days left"


def day_of(moment: datetime) -> str:
    return str(date_format(timezone.localtime(moment), "j M Y"))
