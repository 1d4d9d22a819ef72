"""The end of the chain, sealed with a key that is not in the database.

Whoever can write to the database could rewrite all records from some point on and compute all
hashes again, including the head, but not its seal. What must never happen: the portal itself seals
such a head. So if the head has no valid seal, records are still appended, but the head is not
sealed again until somebody with access to the server has accepted what happened (`verify_audit
--accept`).

The seal covers everything that `verify_audit` relies on: the end of the chain, the notes outside
the database (`anchors.py`) and the record of what was accepted (`verification.py`). None of them
can be replaced by another, or by an older one, alone.

The vault holds a mark that a chain exists: whoever deletes records, head and notes together must
not get a new sealed chain, as a new portal would.
"""

import json

from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.seals import HEAD, is_seal_of, is_sealed_by_current_key, seal_of
from deid_portal.vault import vault

BEGUN = "audit-begun"


def is_head_sealed_by_current_key() -> bool:
    """True also for a head without a valid seal, which a change of keys must not seal."""
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
    """Return the head, or an empty unsealed one if there is none."""
    head = ChainHead.objects.filter(pk=1).first() or ChainHead()
    return head if _is_readable(head) else _head_without_seal()


def _head_without_seal() -> ChainHead:
    """Return an unsealed head at the last record, for a head that is missing or unreadable."""
    last = last_event()
    return ChainHead(pk=1, number=last.number, hash=last.hash) if last else ChainHead(pk=1)


def _is_readable(head: ChainHead) -> bool:
    """Check the types of the head's values: SQLite stores any type in any column."""
    texts = (head.hash, head.notes_hash, head.accepted, head.seal)
    return all(isinstance(own, int) for own in (head.number, head.notes)) and all(
        isinstance(own, str) for own in texts
    )


def has_chain_begun() -> bool:
    return vault.exists(BEGUN)


def mark_chain_as_begun() -> None:
    """Call after the head is written and sealed: a mark without a chain would fail verification."""
    if not has_chain_begun():
        with vault.VaultWriter(BEGUN) as writer:
            writer.write(b"This portal has written an audit record.")


def lock_head() -> ChainHead:
    head = ChainHead.objects.select_for_update().filter(pk=1).first()
    if head is None:
        _begin_head()
        head = ChainHead.objects.select_for_update().get(pk=1)
    return head if _is_readable(head) else _head_without_seal()


def _begin_head() -> None:
    """Create the head: sealed for a new chain, unsealed if an earlier head was removed."""
    head = _head_without_seal()
    seal = "" if head.number or has_chain_begun() else seal_of(words_of(head), HEAD)
    ChainHead.objects.get_or_create(
        pk=1, defaults={"number": head.number, "hash": head.hash, "seal": seal}
    )


def last_event() -> Event | None:
    return Event.objects.order_by("-number").first()


def move_head(head: ChainHead, event: Event, *, accept: bool = False) -> None:
    """Move a locked head to a new record; with `accept` that is the record of an acceptance."""
    may_seal = accept or is_sealed(head)
    head.number, head.hash = event.number, event.hash
    if accept:
        head.accepted = event.hash
    head.seal = seal_of(words_of(head), HEAD) if may_seal else ""
    head.save()
