"""What a record is sealed with. Pure functions over a plain document, so that the database and an
export far away from it are checked by the same lines.

A record's content is hashed with a random salt of its own, and the chain runs over those hashes. So
a record that somebody may not see can still be shown as a link of the chain: its hash of content
proves that it stands there unchanged, and without the salt nobody can try out what it says.
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
    """Hash what a record says; empty for records of before contents were hashed apart."""
    if not record["salt"]:
        return ""
    return _hash([*(record[name] for name in CONTENT), record["salt"]])


def hash_of(record: Document) -> str:
    """Return the hash that ties a record to the one before it."""
    if not record["salt"]:
        return _hash([record["previous_hash"], *(record[name] for name in CONTENT)])
    return link_of(record["previous_hash"], record["number"], content_hash_of(record))


def link_of(previous_hash: str, number: int, content_hash: str) -> str:
    return _hash([previous_hash, number, content_hash])


def _hash(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
