"""Searching the record by words, person, action, object and dates."""

from dataclasses import asdict, dataclass
from datetime import date, datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from deid_portal.accounts.models import User
from deid_portal.audit.models import Event
from deid_portal.audit_trail.event_words import actions_with

BY_THE_PORTAL = "portal"


@dataclass(frozen=True)
class AuditSearch:
    """The conditions of a search; empty ones are ignored."""

    words: str = ""
    person: str = ""  # the key of a person, or BY_THE_PORTAL
    action: str = ""
    kind: str = ""
    object: str = ""  # the id of what a record is about
    since: date | None = None
    until: date | None = None

    @property
    def parts(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value}


def events_of_team(team_id: UUID) -> QuerySet[Event]:
    return Event.objects.filter(team_id=team_id).select_related("actor")


def search(events: QuerySet[Event], wanted: AuditSearch) -> QuerySet[Event]:
    for word in wanted.words.split():
        events = events.filter(_mentions(word))
    if wanted.person == BY_THE_PORTAL:
        events = events.filter(actor=None)
    elif wanted.person:
        events = events.filter(actor__pk=wanted.person)
    exactly = {"action": wanted.action, "subject_kind": wanted.kind, "subject_id": wanted.object}
    events = events.filter(**{name: value for name, value in exactly.items() if value})
    if wanted.since:
        events = events.filter(at__gte=_midnight(wanted.since))
    if wanted.until:
        events = events.filter(at__lt=_midnight(wanted.until + timedelta(days=1)))
    return events


def _mentions(word: str) -> Q:
    names = ("action", "subject_name", "subject_id", "actor__username", "actor__first_name")
    found = Q(number=int(word)) if word.isdecimal() and len(word) < 18 else Q()
    found |= Q(action__in=actions_with(word))
    for name in (*names, "actor__last_name"):
        found |= Q(**{f"{name}__icontains": word})
    return found


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))


def actions_in(events: QuerySet[Event]) -> list[str]:
    return list(events.order_by("action").values_list("action", flat=True).distinct())


def kinds_in(events: QuerySet[Event]) -> list[str]:
    kinds = events.order_by("subject_kind").values_list("subject_kind", flat=True)
    return list(kinds.distinct())


def actors_in(events: QuerySet[Event]) -> list[User]:
    actors = events.order_by().exclude(actor=None).values("actor")
    return list(User.objects.filter(pk__in=actors).order_by("first_name", "username"))
