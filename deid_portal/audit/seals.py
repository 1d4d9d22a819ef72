"""Seals: proofs that this portal wrote something, made with a key outside the database.

A seal is an HMAC under a key derived from the data key for each purpose, so that a seal for one
purpose is not valid for another. The name of the data key comes first, so that seals under a key in
DATA_KEY_OLD can still be checked.
"""

import hashlib
import hmac

from django.core.exceptions import ImproperlyConfigured

from deid_portal.vault.keys import current_key, derive_key, find_key, key_name

HEAD = "end of the audit record"
NOTE = "note about the audit record"
VERIFICATION = "verification of the audit record"
# Exceptions of reading values of types that the portal never writes.
UNREADABLE = (TypeError, ValueError, AttributeError, OverflowError, RecursionError)


def seal_of(words: str, purpose: str, key: bytes | None = None) -> str:
    """Return the seal of a text, under the current key or a given one."""
    key = key or current_key()
    made = hmac.new(derive_key(key, purpose), words.encode(), hashlib.sha256)
    return f"{key_name(key).hex()}:{made.hexdigest()}"


def is_seal_of(seal: str, words: str, purpose: str) -> bool:
    name, _, _ = seal.partition(":")
    try:
        expected = seal_of(words, purpose, find_key(bytes.fromhex(name)))
    except (ImproperlyConfigured, ValueError):  # an unknown key, or not a seal
        return False
    return hmac.compare_digest(expected.encode(), seal.encode())


def is_sealed_by_current_key(seal: str) -> bool:
    return seal.startswith(f"{key_name(current_key()).hex()}:")
