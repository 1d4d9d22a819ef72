"""The end of the chain, sealed with a key that is not in the database.

Whoever can write to the database could rewrite every record from some point on and compute all
hashes anew, head included. They cannot make its seal. What must never happen is that the portal
itself seals such a head: so it goes on from a head without a good seal, but seals it no more until
somebody with access to the server has accepted what happened (`verify_audit --accept`).
"""

import hashlib
import hmac

from django.core.exceptions import ImproperlyConfigured

from deid_portal.audit.models import ChainHead, Event
from deid_portal.common.keys import current_key, derive_key, find_key, key_name

PURPOSE = "audit head"


def seal_of(words: str, key: bytes | None = None) -> str:
    """Seal a few words under the current key, or under the one given; the key's name leads."""
    key = key or current_key()
    made = hmac.new(derive_key(key, PURPOSE), words.encode(), hashlib.sha256)
    return f"{key_name(key).hex()}:{made.hexdigest()}"


def is_seal_of(seal: str, words: str) -> bool:
    name, _, _ = seal.partition(":")
    try:
        expected = seal_of(words, find_key(bytes.fromhex(name)))
    except (ImproperlyConfigured, ValueError):  # a key that is not listed, or no seal at all
        return False
    return hmac.compare_digest(expected, seal)


def is_sealed_by_current_key(seal: str) -> bool:
    return seal.startswith(f"{key_name(current_key()).hex()}:")


def is_head_sealed_by_current_key() -> bool:
    """True also for a head without a good seal, which no change of keys may give one."""
    head = ChainHead.objects.filter(pk=1).first()
    return head is None or not is_sealed(head) or is_sealed_by_current_key(head.seal)


def words_of(head: ChainHead) -> str:
    return f"{head.number}:{head.hash}"


def is_sealed(head: ChainHead) -> bool:
    return is_seal_of(head.seal, words_of(head))


def lock_head() -> ChainHead:
    head = ChainHead.objects.select_for_update().filter(pk=1).first()
    if head is None:
        _begin_head()
        head = ChainHead.objects.select_for_update().get(pk=1)
    return head


def _begin_head() -> None:
    """A new chain begins sealed; one whose head was taken away goes on without a seal."""
    last = Event.objects.order_by("-number").first()
    head = ChainHead(number=last.number, hash=last.hash) if last else ChainHead()
    seal = "" if last else seal_of(words_of(head))
    ChainHead.objects.get_or_create(
        pk=1, defaults={"number": head.number, "hash": head.hash, "seal": seal}
    )


def move_head(head: ChainHead, event: Event, *, accept: bool = False) -> None:
    """Let a locked head stand at a new record."""
    may_seal = accept or is_sealed(head)
    head.number, head.hash = event.number, event.hash
    head.seal = seal_of(words_of(head)) if may_seal else ""
    head.save()
