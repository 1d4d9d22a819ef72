"""The hashes of records: pure functions of a document, used for the database and for exports.

The content of a record is hashed with a random salt, and the chain links those hashes. So a record
that may not be shown can be exported as a link of the chain: its content hash proves that it is
unchanged, and without the salt nobody can guess its content by trying.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from typing import Any

Document = Mapping[str, Any]
CONTENT = (
    "number",
    "at",
    "actor_id",
    "team_id",
    "action",
    "subject_kind",
    "subject_id",
    "subject_name",
    "facts",
)


def make_salt() -> str:
    return secrets.token_hex(16)


def content_hash_of(record: Document) -> str:
    """Hash the content of a record; empty for records of versions without content hashes."""
    if not record["salt"]:
        return ""
    return _hash([*(record[name] for name in CONTENT), record["salt"]])


def hash_of(record: Document) -> str:
    """Return the hash that links a record to the one before it."""
    if not record["salt"]:
        return _hash([record["previous_hash"], *(record[name] for name in CONTENT)])
    return link_of(record["previous_hash"], record["number"], content_hash_of(record))


def link_of(previous_hash: str, number: int, content_hash: str) -> str:
    return _hash([previous_hash, number, content_hash])


def _hash(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
