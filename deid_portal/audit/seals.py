"""Seals: short proofs that this portal said something, made with a key outside the database.

A seal is an HMAC under the data key. Each purpose has a key of its own, so that words sealed for
one are worth nothing for another. The name of the data key leads, so that a key in DATA_KEY_OLD
still proves what it sealed.
"""

import hashlib
import hmac

from django.core.exceptions import ImproperlyConfigured

from deid_portal.vault.keys import current_key, derive_key, find_key, key_name

HEAD = "end of the audit record"
NOTE = "note about the audit record"
VERIFICATION = "verification of the audit record"
# What values of a kind that the portal never writes make of reading them.
UNREADABLE = (TypeError, ValueError, AttributeError, OverflowError, RecursionError)


def seal_of(words: str, purpose: str, key: bytes | None = None) -> str:
    """Seal a few words under the current key, or under the one given."""
    key = key or current_key()
    made = hmac.new(derive_key(key, purpose), words.encode(), hashlib.sha256)
    return f"{key_name(key).hex()}:{made.hexdigest()}"


def is_seal_of(seal: str, words: str, purpose: str) -> bool:
    name, _, _ = seal.partition(":")
    try:
        expected = seal_of(words, purpose, find_key(bytes.fromhex(name)))
    except (ImproperlyConfigured, ValueError):  # a key that is not listed, or no seal at all
        return False
    return hmac.compare_digest(expected.encode(), seal.encode())


def is_sealed_by_current_key(seal: str) -> bool:
    return seal.startswith(f"{key_name(current_key()).hex()}:")
