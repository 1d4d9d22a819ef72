"""The context of the page frame: team, navigation, notices, role, theme."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import cached_property

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.people import person_of
from deid_portal.accounts.permissions import DATASET_ROLES, roles_of
from deid_portal.accounts.selectors import current_team, list_teams
from deid_portal.guide.demo.people import PEOPLE
from deid_portal.guide.pending_items import waiting_for
from deid_portal.notices.selectors import unread_of
from deid_portal.notices.services import mark_read
from deid_portal.web.full_disk import left_undone_when_full

# Which role is shown for a person with several, the first one held.
ROLE_ORDER = [Role.STEWARD, Role.APPROVER, Role.REVIEWER, Role.ANALYST, Role.ADMINISTRATOR]


@dataclass(frozen=True)
class Room:
    label: str
    url: str
    active: bool


class Frame:
    """Lazy: pages without a frame cost no query."""

    def __init__(self, request: HttpRequest, user: User) -> None:
        self.request = request
        self.user = user

    @cached_property
    def team(self) -> Team | None:
        return current_team(self.user, self.request.session)

    @cached_property
    def teams(self) -> list[Team]:
        return list_teams(self.user)

    @cached_property
    def roles(self) -> frozenset[Role]:
        return roles_of(self.user, self.team) if self.team else frozenset()

    @cached_property
    def rooms(self) -> list[Room]:
        """The navigation links that the person's roles may open."""
        doors = [("Home", "guide:home", "/")]
        if self.roles & DATASET_ROLES:
            doors.append(("Datasets", "datasets:list", "/datasets/"))
        if self.roles:
            doors.append(("Query desk", "querydesk:list", "/query-desk/"))
        if self.roles & DATASET_ROLES:
            doors.append(("Networks", "networks:list", "/networks/"))
            doors.append(("Library", "taxonomies:library", "/library/"))
        if self.roles:
            doors.append(("Releases", "releases:list", "/releases/"))
        if self.roles & DATASET_ROLES:
            doors.append(("Audit", "audit:show", "/audit/"))
        return [Room(label, reverse(name), self._is_in(start)) for label, name, start in doors]

    @property
    def is_at_dataset(self) -> bool:
        """True on pages of a dataset's steps; the page knows whether it is a table or a network."""
        return self._is_in("/datasets/")

    def _is_in(self, start: str) -> bool:
        path = self.request.path
        if start == "/datasets/":
            # Pages of runs, reports and reviews are steps of a dataset, too.
            is_step = path.startswith(("/datasets/", "/runs/", "/reviews/"))
            return is_step and "/network/" not in path
        if start == "/networks/":
            return path.startswith(start) or "/network/" in path
        return path == "/" if start == "/" else path.startswith(start)

    @cached_property
    def awaiting_count(self) -> int:
        return len(waiting_for(self.user, self.team)) if self.team else 0

    @cached_property
    def news_count(self) -> int:
        """The number of unread notices; opening a page marks its notices as read."""
        unread = unread_of(self.user)
        path = self.request.path
        if any(notice.url == path for notice in unread):
            with left_undone_when_full():
                mark_read(self.user, url=path)
        return sum(notice.url != path for notice in unread)

    @property
    def role_label(self) -> str:
        held = [role.label for role in ROLE_ORDER if role in self.roles]
        return held[0] if held else ""

    @property
    def theme(self) -> str:
        return self.user.theme


def frame(request: HttpRequest) -> dict[str, Any]:
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        return {"frame": Frame(request, person_of(request))}
    # The demo's passwords are public; without demo mode there are no such people.
    return {"frame": None, "demo_people": PEOPLE if settings.DEMO else []}
