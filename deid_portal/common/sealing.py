"""Small things with cell values in them (profiles, taxonomies, plans), sealed in the database.

A stolen database must not show what is in people's tables. `SealedJSONField` looks like a JSON
field to the code and like random bytes to everybody else; it cannot be searched, which is the
point.
"""

import json
import os
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.db import models

from deid_portal.common.keys import KEY_NAME_BYTES, current_key, derive_key, find_key, key_name

NONCE_BYTES = 12


def seal(clear: bytes) -> bytes:
    key = current_key()
    nonce = os.urandom(NONCE_BYTES)
    closed = AESGCM(derive_key(key, "sealed field")).encrypt(nonce, clear, None)
    return key_name(key) + nonce + closed


def unseal(sealed: bytes) -> bytes:
    name, rest = sealed[:KEY_NAME_BYTES], sealed[KEY_NAME_BYTES:]
    key = derive_key(find_key(name), "sealed field")
    return AESGCM(key).decrypt(rest[:NONCE_BYTES], rest[NONCE_BYTES:], None)


class SealedJSONField(models.BinaryField):  # type: ignore[type-arg]
    """A JSON document that is encrypted in the database."""

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        sealed = None if value is None else seal(json.dumps(value, ensure_ascii=False).encode())
        return super().get_db_prep_value(sealed, connection, prepared)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else json.loads(unseal(bytes(value)))

    def value_to_string(self, obj: models.Model) -> str:
        raise TypeError("Sealed fields are not serialized.")
