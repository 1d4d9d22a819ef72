"""Check an exported file with nothing but the file: every hash, every link, the first, the last.

A forged file can have matching hashes, too. That it came from a certain portal is proven by its
signature, if the key is known: given, or compared by its fingerprint.
"""

import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from deid_portal.audit.hashes import content_hash_of, hash_of, link_of
from deid_portal.audit_trail.exports import EXPORTED, SIGNATURE, Signature
from deid_portal.engine.errors import InvalidTable
from deid_portal.engine.verification.signatures import fingerprint_of
from deid_portal.web.refusals import Refused

HASHES = ("content_hash", "previous_hash", "hash")


@dataclass
class CheckedExport:
    first: int = 0
    last: int = 0
    hash: str = ""  # of the last record
    records: int = 0
    links: int = 0
    # Links of versions without content hashes: their hash cannot be recomputed.
    old_links: int = 0
    signed_by: str = ""  # the fingerprint of the key


def check_export(path: Path, pinned: bytes | None = None) -> CheckedExport:
    """Check a file; raises `Refused` with the first problem. `pinned` is the required key."""
    try:
        return _check(path, pinned)
    except OSError:
        raise Refused(f"{path} cannot be read.") from None
    except InvalidTable as reason:  # of a public key
        raise Refused(str(reason)) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, csv.Error):
        raise Refused("This is no export of an audit record, or a damaged one.") from None


def _check(path: Path, pinned: bytes | None) -> CheckedExport:
    signed = _read_signature(path)
    found = CheckedExport()
    record: dict[str, Any] = {}
    for record in _read(path, signed):
        number = record["number"]
        if found.last and number != found.last + 1:
            raise Refused(f"After record {found.last:,} comes {number:,}; something is missing.")
        if found.last and record["previous_hash"] != found.hash:
            raise Refused(f"Record {number:,} does not follow on the one before it.")
        _check_record(record, found)
        found.first = found.first or number
        found.last, found.hash = number, record["hash"]
    _check_end(record, found)
    found.signed_by = _check_signature(signed, record["facts"].get("signed_by"), pinned)
    return found


@dataclass(frozen=True)
class _Signed:
    """The signed part of the file, by length and hash; the whole file without a signature."""

    size: int
    digest: bytes
    signature: Signature | None


def _read_signature(path: Path) -> _Signed:
    digest, size, last = hashlib.sha256(), 0, b""
    with path.open("rb") as stream:
        for line in stream:
            digest.update(last)
            size, last = size + len(last), line
    signature = _parse_signature(last.decode())
    return _Signed(size if signature else size + len(last), digest.digest(), signature)


def _parse_signature(line: str) -> Signature | None:
    if line.startswith(f"{SIGNATURE},"):
        return Signature(*(cell.removeprefix("'") for cell in next(csv.reader([line]))[1:]))
    if line.startswith(f'{{"{SIGNATURE}":'):
        return Signature(**json.loads(line))
    return None


def _check_signature(signed: _Signed, signed_by: str | None, pinned: bytes | None) -> str:
    """Return the fingerprint of the key that signed the file."""
    if signed.signature is None:
        raise Refused(
            "The records fit each other, but the file is not signed, so names of people in it may "
            "have been changed. Files of before exports were signed are like that; export again."
        )
    fingerprint = fingerprint_of(signed.signature.pem)
    if not signed.signature.is_of(signed.digest):
        raise Refused(
            "The records fit each other, but something in the file was changed after it was "
            "signed: the name of a person, or how the file is written."
        )
    if fingerprint != signed_by:
        raise Refused("The file is signed with another key than its last record says.")
    if pinned is not None and fingerprint != fingerprint_of(pinned):
        raise Refused("The file is signed with another key than the one you gave.")
    return fingerprint


def _check_record(record: dict[str, Any], found: CheckedExport) -> None:
    changed = Refused(f"Record {record['number']:,} was changed after it was written.")
    if not record.get("action"):
        found.links += 1
        found.old_links += not record["content_hash"]
        made = link_of(record["previous_hash"], record["number"], record["content_hash"])
        if record["content_hash"] and record["hash"] != made:
            raise changed
        return
    found.records += 1
    if record["hash"] != hash_of(record) or record["content_hash"] != content_hash_of(record):
        raise changed


def _check_end(last: dict[str, Any], found: CheckedExport) -> None:
    if last.get("action") != EXPORTED:
        raise Refused("The file is cut short: an export ends with the record of itself.")
    if last["facts"].get("first") != found.first:
        raise Refused("The file is cut short at its beginning.")
    if last["facts"].get("records") != found.records:
        raise Refused("Records were taken out of the file, and only their links were left.")


def _read(path: Path, signed: _Signed) -> Iterator[dict[str, Any]]:
    lines = _lines_above(path, signed.size)
    first = next(lines, "")
    everything = chain([first], lines)
    if first.startswith("{"):
        yield from (_from_json(line) for line in everything)
    else:
        yield from (_from_cells(cells) for cells in csv.DictReader(everything))


def _lines_above(path: Path, size: int) -> Iterator[str]:
    with path.open("rb") as stream:
        while stream.tell() < size:
            yield stream.readline().decode()


def _from_json(line: str) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(line)
    record["number"] = int(record["number"])
    return {**dict.fromkeys(HASHES, ""), **record}


def _from_cells(cells: dict[str, str]) -> dict[str, Any]:
    record: dict[str, Any] = {name: text.removeprefix("'") for name, text in cells.items()}
    record["number"] = int(record["number"])
    record["actor_id"] = int(record["actor_id"]) if record["actor_id"] else None
    record["team_id"] = record["team_id"] or None
    record["facts"] = json.loads(record["facts"]) if record["facts"] else {}
    return record
