"""The data key: its source and the keys derived from it, one per purpose.

The key is never in the database. Its short name precedes everything encrypted with it, so that data
encrypted with an old key listed in DATA_KEY_OLD can still be decrypted.
"""

import base64
import binascii
import hashlib
import os
from functools import lru_cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from deid_portal.environment import DEMO_KEY_PREFIX

KEY_NAME_BYTES = 4
NONCE_BYTES = 12


@lru_cache(maxsize=16)
def decode_key(text: str) -> bytes:
    """Return the 32 bytes that DATA_KEY holds in base64."""
    try:
        key = base64.b64decode(text.removeprefix(DEMO_KEY_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if len(key) != 32:
        raise ImproperlyConfigured("DATA_KEY must be 32 random bytes in base64.")
    return key


def key_name(key: bytes) -> bytes:
    return hashlib.sha256(b"deid-portal key name" + key).digest()[:KEY_NAME_BYTES]


def current_key() -> bytes:
    return decode_key(settings.DATA_KEY)


def find_key(name: bytes) -> bytes:
    """Return the key something was encrypted with, by the name that precedes it."""
    for text in [settings.DATA_KEY, *settings.DATA_KEY_OLD]:
        if key_name(decode_key(text)) == name:
            return decode_key(text)
    raise ImproperlyConfigured(
        "This was encrypted with a key that is neither DATA_KEY nor in DATA_KEY_OLD."
    )


@lru_cache(maxsize=64)
def derive_key(key: bytes, purpose: str) -> bytes:
    """Derive the key for one purpose."""
    return derive_key_once(key, purpose, b"")


def derive_key_once(key: bytes, purpose: str, salt: bytes) -> bytes:
    """Derive the key of one file; it is not cached, so that it does not outlive the file."""
    return HKDF(algorithm=SHA256(), length=32, salt=salt or None, info=purpose.encode()).derive(key)


def encrypt(clear: bytes, purpose: str, place: bytes) -> bytes:
    """Encrypt a small value with the current key, bound to its place."""
    key, nonce = current_key(), os.urandom(NONCE_BYTES)
    return key_name(key) + nonce + AESGCM(derive_key(key, purpose)).encrypt(nonce, clear, place)


def decrypt(encrypted: bytes, purpose: str, place: bytes | None) -> bytes:
    """Decrypt; raises `InvalidTag` if it is damaged or of another place. None means any place."""
    name, rest = encrypted[:KEY_NAME_BYTES], encrypted[KEY_NAME_BYTES:]
    if len(rest) < NONCE_BYTES:
        raise InvalidTag
    key = derive_key(find_key(name), purpose)
    return AESGCM(key).decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], place)
