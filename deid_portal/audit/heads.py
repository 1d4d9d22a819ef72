"""The end of the chain, sealed with a key that is not in the database.

Whoever can write to the database could rewrite every record from some point on and compute all
hashes anew, head included. They cannot make its seal. What must never happen is that the portal
itself seals such a head: so it goes on from a head without a good seal, but seals it no more until
somebody with access to the server has accepted what happened (`verify_audit --accept`).

The seal covers everything that decides what `verify_audit` finds: where the chain ends, which notes
were written outside the database (`anchors.py`) and which record says what was accepted
(`verification.py`). None of them can be exchanged for another, or for an older one, by itself.

That a chain has begun at all is marked in the vault: whoever wipes records, head and notes together
must not get a new chain sealed as if this were a new portal.
"""

import json

from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.seals import HEAD, is_seal_of, is_sealed_by_current_key, seal_of
from deid_portal.vault import vault

BEGUN = "audit-begun"


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
    head = ChainHead.objects.filter(pk=1).first() or ChainHead()
    return head if _is_readable(head) else _head_without_seal()


def _head_without_seal() -> ChainHead:
    """Return a head at the last record, in place of one that is gone or cannot be read."""
    last = last_event()
    return ChainHead(pk=1, number=last.number, hash=last.hash) if last else ChainHead(pk=1)


def _is_readable(head: ChainHead) -> bool:
    """SQLite keeps values of any kind in any column."""
    texts = (head.hash, head.notes_hash, head.accepted, head.seal)
    return all(isinstance(own, int) for own in (head.number, head.notes)) and all(
        isinstance(own, str) for own in texts
    )


def has_chain_begun() -> bool:
    return vault.exists(BEGUN)


def mark_chain_as_begun() -> None:
    """For a head that is written and sealed: a mark without a chain would be a finding."""
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
    """A new chain begins sealed; one whose head was taken away goes on without a seal."""
    head = _head_without_seal()
    seal = "" if head.number or has_chain_begun() else seal_of(words_of(head), HEAD)
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
