"""Pseudonyms: the same identifier always gets the same name, and only the key leads back.

HMAC-SHA256 over the value, so that two tables pseudonymized with one key can still be joined and
nobody without the key can try out values. A gap stays a gap.
"""

import hashlib
import hmac

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table import Column
from deid_portal.engine.values import ColumnType

LENGTH = 32  # hexadecimal digits: 128 bits, so two values never share a pseudonym in practice


def pseudonymize(column: Column, key: bytes | None) -> Column:
    """Return the column with every value replaced by its pseudonym."""
    if not key:
        raise InvalidPlan(
            f"columns.{column.name}.treatment: a pseudonym needs a secret key and none was given; "
            f'use "remove" or run it where a key is set.'
        )
    values = tuple(None if text is None else _pseudonym(key, text) for text in column.values)
    return Column(column.name, ColumnType.TEXT, column.codes, values)


def _pseudonym(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()[:LENGTH]
