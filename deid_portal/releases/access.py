"""How a release stands for the person who looks: one word, until when, and for how many.

Worked out from the grants and the clock whenever a page is made, so it is true to the second; the
state of the request follows when the clock process comes by.
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


class State(StrEnum):
    PACKING = "packing"
    OPEN = "open"
    LAST_DAYS = "last-days"
    USED_UP = "used-up"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    CLOSED = "closed"  # nobody is named, or the one who looks is not


# Kind and icon of the pill; the words are made with the numbers.
LOOKS = {
    State.PACKING: ("info", "loader"),
    State.OPEN: ("ok", ""),
    State.LAST_DAYS: ("warn", "clock"),
    State.USED_UP: ("neutral", "package"),
    State.EXPIRED: ("neutral", "clock"),
    State.WITHDRAWN: ("bad", "ban"),
    State.CLOSED: ("neutral", "lock"),
}


@dataclass(frozen=True)
class Standing:
    state: State
    until: datetime | None = None  # the end of the last period that is open, or was
    people: int = 0  # who can still take it
    left: int = 0  # how often, all of them together
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
        return self.state in (State.OPEN, State.LAST_DAYS, State.PACKING) and self.people > 0

    @property
    def label(self) -> str:
        if self.state is State.LAST_DAYS:
            return days_left_words(self.days_left)
        return {
            State.PACKING: "Being packed",
            State.OPEN: "Released",
            State.USED_UP: "Used up",
            State.EXPIRED: "Expired",
            State.WITHDRAWN: "Withdrawn",
            State.CLOSED: "Not open",
        }[self.state]


def stand(
    release: Release, grants: Sequence[Grant], package: Package | None, now: datetime | None = None
) -> Standing:
    """Say how a release stands, given the grants that the person who looks may know of."""
    now = now or timezone.now()
    if release.withdrawn_at is not None:
        return Standing(State.WITHDRAWN, release.withdrawn_at)
    running = [grant for grant in grants if not grant.is_over(now)]
    usable = [grant for grant in running if grant.left]
    is_packed = package is not None and package.is_ready
    if not grants:
        return Standing(State.CLOSED, is_packed=is_packed)
    until = max(grant.expires_at for grant in usable or running or grants)
    if not running:
        return Standing(State.EXPIRED, until, is_packed=is_packed)
    if not usable:
        return Standing(State.USED_UP, until, is_packed=is_packed)
    days_left = ceil((until - now).total_seconds() / SECONDS_OF_A_DAY)
    state = State.LAST_DAYS if days_left <= LAST_DAYS else State.OPEN
    left = sum(grant.left for grant in usable)
    packed_state = state if is_packed else State.PACKING
    return Standing(packed_state, until, len(usable), left, days_left, is_packed)


def title_for_team(release: Release, standing: Standing) -> str:
    name = f"Release {release.number}"
    until = day_of(standing.until) if standing.until else ""
    people = "1 person" if standing.people == 1 else f"{standing.people:,} people"
    return {
        State.PACKING: f"{name} is being packed",
        State.OPEN: f"{name} is open to {people} until {until}",
        State.LAST_DAYS: f"{name} is open to {people} until {until}",
        State.USED_UP: f"{name} was taken as often as allowed",
        State.EXPIRED: f"{name} expired on {until}",
        State.WITHDRAWN: f"{name} was withdrawn on {until}",
        State.CLOSED: f"{name} is open to nobody yet",
    }[standing.state]


def title_for_one(release: Release, standing: Standing) -> str:
    """The same for somebody who is told of no other people."""
    name = f"Release {release.number}"
    until = day_of(standing.until) if standing.until else ""
    return {
        State.PACKING: f"{name} is being packed",
        State.OPEN: f"{name} is open to you until {until}",
        State.LAST_DAYS: f"{name} is open to you until {until}",
        State.USED_UP: f"You have taken release {release.number} as often as you may",
        State.EXPIRED: f"Your time to take release {release.number} ended on {until}",
        State.WITHDRAWN: f"{name} was withdrawn on {until}",
        State.CLOSED: f"{name} is not open to you",
    }[standing.state]


def days_left_words(days: int) -> str:
    return "1 day left" if days == 1 else f"{days:,} days left"


def day_of(moment: datetime) -> str:
    return str(date_format(timezone.localtime(moment), "j M Y"))
