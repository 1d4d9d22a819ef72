"""Check an exported file with nothing but the file: every hash, every link, the first, the last."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deid_portal.audit.exports import EXPORTED
from deid_portal.audit.hashing import content_hash_of, hash_of, link_of
from deid_portal.common.refusals import Refused

HASHES = ("content_hash", "previous_hash", "hash")


@dataclass
class CheckedExport:
    first: int = 0
    last: int = 0
    hash: str = ""  # of the last record
    records: int = 0
    links: int = 0
    # Links of before contents were hashed apart: their hash can be followed, not recomputed.
    old_links: int = 0


def check_export(path: Path) -> CheckedExport:
    """Raises `Refused` with the first place that does not fit."""
    try:
        return _check(path)
    except OSError:
        raise Refused(f"{path} cannot be read.") from None
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error):
        raise Refused("This is no export of an audit record, or a damaged one.") from None


def _check(path: Path) -> CheckedExport:
    found = CheckedExport()
    record: dict[str, Any] = {}
    for record in _read(path):
        number = record["number"]
        if found.last and number != found.last + 1:
            raise Refused(f"After record {found.last:,} comes {number:,}; something is missing.")
        if found.last and record["previous_hash"] != found.hash:
            raise Refused(f"Record {number:,} does not follow on the one before it.")
        _check_record(record, found)
        found.first = found.first or number
        found.last, found.hash = number, record["hash"]
    _check_end(record, found)
    return found


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


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as stream:
        is_json = stream.read(1) == "{"
        stream.seek(0)
        if is_json:
            yield from (_from_json(line) for line in stream)
        else:
            yield from (_from_cells(cells) for cells in csv.DictReader(stream))


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
