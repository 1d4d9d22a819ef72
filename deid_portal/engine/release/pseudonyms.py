"""Pseudonyms: the same identifier always gets the same name, and only the key leads back.

HMAC-SHA256 over the value, so that two tables pseudonymized with one key can still be joined and
nobody without the key can try out values. A gap stays a gap. Of the 256 bits 128 are shown: among a
billion identifiers the chance that two share a pseudonym is about 1 in 10^21, and if it ever
happened the table would be refused rather than two people made one.
"""

import hmac
from collections.abc import Iterable, Iterator

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Column, Table
from deid_portal.engine.table.values import ColumnType

LENGTH = 32  # hexadecimal digits


def pseudonymize(column: Column, key: bytes | None) -> Column:
    """Return the column with every value replaced by its pseudonym."""
    if not key:
        raise InvalidPlan(
            f"columns.{column.name}.treatment: a pseudonym needs a secret key and none was given; "
            f'use "remove" or run it where a key is set.'
        )
    values = tuple(None if text is None else pseudonym_of(text, key) for text in column.values)
    if len(set(values)) < len(values):
        raise InvalidPlan(
            f"columns.{column.name}.treatment: two different values got the same pseudonym; "
            f"use another key."
        )
    return Column(column.name, ColumnType.TEXT, column.codes, values)


def pseudonym_of(text: str, key: bytes) -> str:
    return hmac.digest(key, text.encode(), "sha256").hex()[:LENGTH]


def ways_back(
    original: Table, released: Table, columns: Iterable[str], key: bytes
) -> Iterator[tuple[str, str, str]]:
    """Return pseudonym, column and original value of everybody in the release, nobody else."""
    for name in columns:
        shown = set(released[name].values)
        for text in original[name].values:
            if text is not None and (pseudonym := pseudonym_of(text, key)) in shown:
                yield pseudonym, name, text
