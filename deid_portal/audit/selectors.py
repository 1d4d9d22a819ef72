from uuid import UUID

from django.db.models import QuerySet

from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.services import hash_of


def events_of_team(team_id: UUID) -> QuerySet[Event]:
    return Event.objects.filter(team_id=team_id).select_related("actor")


def find_break() -> int | None:
    """Walk the whole chain; return the number of the first entry that does not fit, or None.

    The head is read first and compared last: a chain cut short at its end is noticed, and entries
    that are written meanwhile are left to the next time.
    """
    head = ChainHead.objects.filter(pk=1).first() or ChainHead()
    previous, number = "", 0
    written = Event.objects.filter(number__lte=head.number).order_by("number")
    for event in written.iterator(chunk_size=2000):
        number += 1
        if (
            event.number != number
            or event.previous_hash != previous
            or event.hash != hash_of(event)
        ):
            return number
        previous = event.hash
    if (head.number, head.hash) != (number, previous):
        return number + 1
    stray = Event.objects.filter(number__gt=head.number).exists()
    # Entries beyond the head are all right only if the head has moved on with them.
    has_moved = ChainHead.objects.filter(pk=1, number__gt=head.number).exists()
    return number + 1 if stray and not has_moved else None
