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
from django.db.models.query_utils import DeferredAttribute

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


class SealedBytes(bytes):
    """A document as it lies in the database, not yet opened."""


class _UnsealedOnce(DeferredAttribute):
    """Open a sealed document when somebody looks at it; a list of rows opens none."""

    def __set__(self, instance: Any, value: Any) -> None:
        # Having this makes Python ask __get__ even when the row holds a value.
        instance.__dict__[self.field.attname] = value

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        value = super().__get__(instance, owner)
        if isinstance(value, SealedBytes):
            value = json.loads(unseal(value))
            instance.__dict__[self.field.attname] = value
        return value


class SealedJSONField(models.BinaryField):  # type: ignore[type-arg]
    """A JSON document that is encrypted in the database."""

    descriptor_class = _UnsealedOnce

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        if value is not None and not isinstance(value, SealedBytes):
            value = seal(json.dumps(value, ensure_ascii=False).encode())
        return super().get_db_prep_value(value, connection, prepared)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return None if value is None else SealedBytes(value)

    def value_to_string(self, obj: models.Model) -> str:
        raise TypeError("Sealed fields are not serialized.")
