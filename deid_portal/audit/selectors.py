from uuid import UUID

from django.db.models import QuerySet

from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.services import hash_of


def events_of_team(team_id: UUID) -> QuerySet[Event]:
    return Event.objects.filter(team_id=team_id).select_related("actor")


def find_break() -> int | None:
    """Walk the whole chain; return the number of the first entry that does not fit, or None.

    The head is compared last, so a chain cut short at its end is noticed too.
    """
    previous, number = "", 0
    for event in Event.objects.order_by("number").iterator(chunk_size=2000):
        number += 1
        if (
            event.number != number
            or event.previous_hash != previous
            or event.hash != hash_of(event)
        ):
            return number
        previous = event.hash
    head = ChainHead.objects.filter(pk=1).first() or ChainHead()
    return None if (head.number, head.hash) == (number, previous) else number + 1
