"""The end of the chain, sealed with a key that is not in the database.

Whoever can write to the database could rewrite every record from some point on and compute all
hashes anew, head included. They cannot make its seal. What must never happen is that the portal
itself seals such a head: so it goes on from a head without a good seal, but seals it no more until
somebody with access to the server has accepted what happened (`verify_audit --accept`).

The seal covers everything that decides what `verify_audit` finds: where the chain ends, which notes
were written outside the database (`anchors.py`) and which record says what was accepted
(`verifying.py`). None of them can be exchanged for another, or for an older one, by itself.
"""

import json

from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.seals import HEAD, is_seal_of, is_sealed_by_current_key, seal_of


def is_head_sealed_by_current_key() -> bool:
    """True also for a head without a good seal, which no change of keys may give one."""
    head = read_head()
    return not is_sealed(head) or is_sealed_by_current_key(head.seal)


def words_of(head: ChainHead) -> str:
    return json.dumps([head.number, head.hash, head.notes, head.notes_hash, head.accepted])


def is_sealed(head: ChainHead) -> bool:
    return is_seal_of(head.seal, words_of(head), HEAD)


def seal_head(head: ChainHead) -> None:
    head.seal = seal_of(words_of(head), HEAD)
    head.save()


def read_head() -> ChainHead:
    """Return the head as it stands, or an empty one that is not sealed."""
    return ChainHead.objects.filter(pk=1).first() or ChainHead()


def lock_head() -> ChainHead:
    head = ChainHead.objects.select_for_update().filter(pk=1).first()
    if head is None:
        _begin_head()
        head = ChainHead.objects.select_for_update().get(pk=1)
    return head


def _begin_head() -> None:
    """A new chain begins sealed; one whose head was taken away goes on without a seal."""
    last = last_event()
    head = ChainHead(number=last.number, hash=last.hash) if last else ChainHead()
    seal = "" if last else seal_of(words_of(head), HEAD)
    ChainHead.objects.get_or_create(
        pk=1, defaults={"number": head.number, "hash": head.hash, "seal": seal}
    )


def last_event() -> Event | None:
    return Event.objects.order_by("-number").first()


def move_head(head: ChainHead, event: Event, *, accept: bool = False) -> None:
    """Let a locked head stand at a new record; `accept` makes it the one that accepts."""
    may_seal = accept or is_sealed(head)
    head.number, head.hash = event.number, event.hash
    if accept:
        head.accepted = event.hash
    head.seal = seal_of(words_of(head), HEAD) if may_seal else ""
    head.save()
