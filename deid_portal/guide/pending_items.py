"""Items of all rooms that wait for a person: the list of the team home, the count of the bell.

Every page shows the count, so it must be cheap: one query per team, cached for a second, finds
which kinds of items wait for anybody, and only these are looked up for the person.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise, lazy

from deid_portal.accounts.models import Role, Team, User
from deid_portal.accounts.permissions import has_role
from deid_portal.attacks.selectors import attack_summary_of
from deid_portal.datasets.models import ColumnRoleChoices, Dataset
from deid_portal.datasets.selectors import datasets_of_team
from deid_portal.engine.wording.words import capital
from deid_portal.policies.gates import attacks_in_words
from deid_portal.querydesk.amounts import shown
from deid_portal.querydesk.models import Wish
from deid_portal.querydesk.selectors import wishes_awaiting
from deid_portal.releases.models import Grant
from deid_portal.releases.selectors import (
    fresh_grants,
    fresh_grants_of_team,
    periods_asked_for,
)
from deid_portal.reviews.models import ReviewRequest
from deid_portal.reviews.selectors import requests_awaiting
from deid_portal.taxonomies.models import ColumnTaxonomy
from deid_portal.versions.selectors import Misfit, versions_awaiting
from deid_portal.web.short_cache import cached_briefly


@dataclass(frozen=True)
class WaitingLine:
    """An item that waits for a person: what, why, since when, and the action."""

    dataset_id: UUID
    icon: str
    title: str
    text: str | Promise
    since: datetime
    act: str
    about: str  # the subject of the button, for screen readers
    url: str
    next_act: str  # the next action in the row of its dataset


def waiting_for(user: User, team: Team) -> list[WaitingLine]:
    """Return the items that wait for this person, oldest first; cached per request and team."""
    cache: dict[UUID, list[WaitingLine]] = user.__dict__.setdefault("_waiting_by_team", {})
    if team.pk not in cache:
        cache[team.pk] = _look_up(user, team)
    return cache[team.pk]


def _look_up(user: User, team: Team) -> list[WaitingLine]:
    kinds = cached_briefly(f"waiting-{team.pk}", lambda: _kinds_waiting(team))
    lines: list[WaitingLine] = []
    if "requests" in kinds:
        lines += [_describe_request(request) for request in requests_awaiting(user, team)]
    if "releases" in kinds:
        lines += [_describe_release(grant) for grant in fresh_grants(user, team)]
    if "wishes" in kinds:
        lines += [_describe_wish(wish) for wish in wishes_awaiting(user, team)]
    if kinds and has_role(user, team, Role.STEWARD):
        lines += _for_stewards(user, team, kinds)
    return sorted(lines, key=lambda line: line.since)


def _for_stewards(user: User, team: Team, kinds: frozenset[str]) -> list[WaitingLine]:
    versions = versions_awaiting(user, team) if "versions" in kinds else []
    lines = [_describe_version(*version) for version in versions]
    told = {line.dataset_id for line in lines}
    if "values" in kinds:
        values = _values_without_place(user, team)
        lines += [line for line in values if line.dataset_id not in told]
    if "previews" in kinds:
        lines += _previews(user, team)
    if "periods" in kinds:
        lines += [_describe_period(grant) for grant in periods_asked_for(team)]
    return lines


# Per kind a query that finds at least what waits for any person of the team.
KINDS: Mapping[str, Callable[[Team], QuerySet[Any]]] = {
    "requests": lambda team: ReviewRequest.objects.filter(
        run__dataset__team=team,
        status__in=(ReviewRequest.Status.SUBMITTED, ReviewRequest.Status.CHANGES_REQUESTED),
    ),
    "wishes": lambda team: Wish.objects.filter(desk__team=team, status=Wish.Status.WAITING),
    "versions": lambda team: Dataset.objects.filter(
        team=team, previous__isnull=False, state=Dataset.State.READY, runs__isnull=True
    ),
    "values": lambda team: ColumnTaxonomy.objects.filter(
        uncovered__gt=0, column__dataset__team=team
    ),
    "previews": lambda team: Dataset.objects.filter(team=team, state=Dataset.State.UPLOADED),
    "releases": fresh_grants_of_team,
    "periods": lambda team: Grant.objects.filter(
        release__request__run__dataset__team=team, asked_at__isnull=False
    ),
}


def _kinds_waiting(team: Team) -> frozenset[str]:
    """Return the kinds with waiting items, in one query."""
    looks = {f"has_{kind}": Exists(find(team)) for kind, find in KINDS.items()}
    found = Team.objects.filter(pk=team.pk).annotate(**looks).values(*looks).get()
    return frozenset(kind for kind in KINDS if found[f"has_{kind}"])


def _describe_request(request: ReviewRequest) -> WaitingLine:
    run = request.run
    is_asked = request.status == ReviewRequest.Status.SUBMITTED
    title = f"release of run {run.number}" if is_asked else "changes requested"
    sent_back = (
        f"The approver sent request {request.number} back. Read why, change the plan and ask again."
    )
    return WaitingLine(
        run.dataset_id,
        "gavel" if is_asked else "message-2",
        f"{run.dataset.name} — {title}",
        words_of_request(request) if is_asked else sent_back,
        request.changed_at,
        "Decide" if is_asked else "Answer",
        f"request {request.number}",
        reverse("reviews:show", args=[request.id]),
        "Decide on the request" if is_asked else "Answer the approver",
    )


def _tell_request(request: ReviewRequest) -> str:
    asks = f"{request.asked_by.display_name} asks for approval: {request.purpose}"
    attacks = attack_summary_of(request.run)
    if not attacks.over:
        return asks
    over = capital(attacks_in_words(attacks.answered, len(attacks.over)))
    return f"{asks.rstrip('.')}. {over}."


# Every page counts what waits; only some show the words, for which results of attacks are opened.
words_of_request = lazy(_tell_request, str)


def _describe_release(grant: Grant) -> WaitingLine:
    release, times = grant.release, "once" if grant.left == 1 else f"{grant.left:,} times"
    until = date_format(timezone.localtime(grant.expires_at), "j M Y")
    return WaitingLine(
        release.request.run.dataset_id,
        "package",
        f"{release} — ready for you",
        f"{capital(release.request.purpose.rstrip('.'))}. You can take it until {until}, {times}.",
        grant.granted_at,
        "Open",
        f"{release}",
        reverse("releases:show", args=[release.id]),
        "Take the release",
    )


def _describe_period(grant: Grant) -> WaitingLine:
    name, release = grant.person.display_name, grant.release
    address = reverse("releases:show", args=[release.id])
    return WaitingLine(
        release.request.run.dataset_id,
        "clock",
        f"{release} — {name} asks for a new period",
        f"{grant.taken:,} of {grant.allowed:,} downloads are taken. Give a new period, or say no.",
        grant.asked_at or grant.granted_at,
        "Answer",
        f"{name} about {release}",
        f"{address}?change={grant.id}#person-{grant.id}",
        f"Answer {name} about release {release.number}",
    )


def _describe_wish(wish: Wish) -> WaitingLine:
    dataset, person = wish.desk.current.dataset, wish.asked_by.display_name
    return WaitingLine(
        dataset.id,
        "wallet",
        f"{dataset.name} — more budget for questions",
        f"{person} asks for ε {shown(wish.micro)} more: {wish.reason}",
        wish.asked_at,
        "Decide",
        f"on more budget for {person}",
        reverse("querydesk:wish", args=[wish.id]),
        "Decide on more budget",
    )


def _previews(user: User, team: Team) -> list[WaitingLine]:
    waiting = datasets_of_team(user, team).filter(state=Dataset.State.UPLOADED, created_by=user)
    return [
        WaitingLine(
            dataset.id,
            "table",
            f"{dataset.name} — is the file read right?",
            "It was uploaded and is not kept yet. Look at the preview and say so.",
            dataset.changed_at,
            "Look",
            f"at the preview of {dataset.name}",
            reverse("datasets:preview", args=[dataset.id]),
            "Look at the preview",
        )
        for dataset in waiting
    ]


def _describe_version(dataset: Dataset, misfits: list[Misfit]) -> WaitingLine:
    """One line per new version, about its first problem."""
    first, more = misfits[0], len(misfits) - 1
    rest = f" {more} more thing{'s do' if more > 1 else ' does'} not fit either." if more else ""
    return WaitingLine(
        dataset.id,
        first.icon,
        f"{dataset.name}, {dataset.version_number} — {first.title}",
        f"{first.text}{rest}",
        dataset.changed_at,
        "See what changed" if more else first.act,
        f"in {dataset.name}",
        reverse("versions:drift", args=[dataset.id]) if more else first.url,
        "Look at what changed" if more else first.act,
    )


def _values_without_place(user: User, team: Team) -> list[WaitingLine]:
    """One line per dataset, about the column with the most values missing from its taxonomy."""
    incomplete = (
        ColumnTaxonomy.objects.filter(
            uncovered__gt=0,
            column__role=ColumnRoleChoices.QUASI_IDENTIFIER,
            column__dataset__team=team,
            column__dataset__created_by=user,
            column__dataset__state=Dataset.State.READY,
        )
        .select_related("column__dataset")
        .defer("recipe", "file_text", "column__profile")
        .order_by("-uncovered")
    )
    worst: dict[UUID, ColumnTaxonomy] = {}
    for taxonomy in incomplete:
        worst.setdefault(taxonomy.column.dataset_id, taxonomy)
    return [_describe_taxonomy(taxonomy) for taxonomy in worst.values()]


def _describe_taxonomy(taxonomy: ColumnTaxonomy) -> WaitingLine:
    column, count = taxonomy.column, taxonomy.uncovered
    values, have, they_are = (
        ("1 value", "has", "it is") if count == 1 else (f"{count:,} values", "have", "they are")
    )
    return WaitingLine(
        column.dataset_id,
        "sitemap",
        f"{column.dataset.name} — {values} {have} no place in the tree",
        f"The taxonomy of {column.name} does not cover them. "
        f"Runs are blocked until {they_are} placed.",
        column.dataset.changed_at,
        "Place values",
        f"of {column.name}",
        reverse("taxonomies:workbench", args=[column.dataset_id, column.position]),
        f"Place {values} of {column.name}",
    )
