"""The record as a file that can be checked far away from the portal.

Records that were not asked for, or belong to another team, stand in the file as links: their
number and hashes, and nothing of what they say. So the chain in the file has no gap, and whoever
holds the file can see that nothing in it was removed, reordered or edited. The last record is the
one of the export itself and names the first, so a file cut short is noticed as well.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Min, QuerySet

from deid_portal.accounts.models import Team, User
from deid_portal.audit.models import Event
from deid_portal.audit.selectors import Wanted, search
from deid_portal.audit.services import record_event

EXPORTED = "audit.exported"
COLUMNS = (
    "number",
    "at",
    "person",
    "action",
    "subject_kind",
    "subject_name",
    "subject_id",
    "facts",
    "actor_id",
    "team_id",
    "salt",
    "content_hash",
    "previous_hash",
    "hash",
)
LINK = ("number", "content_hash", "previous_hash", "hash")
AT_ONCE = 2000
# What a spreadsheet would run, and the sign itself that keeps it from doing so.
DANGEROUS = re.compile(r"['\t\r\n]|[\s\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


@transaction.atomic
def begin_export(
    *, team: Team | None, exported_by: User | None, wanted: Wanted, file_format: str
) -> tuple[int, int]:
    """Put an export on record; returns the numbers of its first and its last record."""
    found = search(_records_of(team), wanted)
    first = found.aggregate(first=Min("number"))["first"]
    facts = {
        "format": file_format,
        "records": found.count() + 1,
        "searched_by": sorted(wanted.parts),
        "first": first or _next_number(),
    }
    event = record_event(EXPORTED, actor=exported_by, team=team, subject=team, facts=facts)
    return int(event.facts["first"]), event.number


def _next_number() -> int:
    last = Event.objects.order_by("-number").first()
    return last.number + 1 if last else 1


def _records_of(team: Team | None) -> QuerySet[Event]:
    return Event.objects.filter(team_id=team.id) if team else Event.objects.all()


def read_export(
    *, team: Team | None, wanted: Wanted, first: int, last: int
) -> Iterator[dict[str, Any]]:
    """Yield every record from the first to the last, those not asked for as links."""
    for start in range(first, last + 1, AT_ONCE):
        span = (start, min(start + AT_ONCE - 1, last))
        shown = search(_records_of(team), wanted).filter(number__range=span)
        numbers = {*shown.values_list("number", flat=True), last}
        events = Event.objects.filter(number__range=span).order_by("number")
        for event in events.select_related("actor"):
            yield _full(event) if event.number in numbers else _link(event)


def _full(event: Event) -> dict[str, Any]:
    person = event.actor.display_name if event.actor else ""
    record = {**event.document(), "person": person}
    return {name: record[name] for name in COLUMNS}


def _link(event: Event) -> dict[str, Any]:
    record = event.document()
    return {name: record[name] for name in LINK}


def as_json_lines(records: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for record in records:
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def as_csv(records: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    yield _csv_line(COLUMNS)
    for record in records:
        yield _csv_line([_cell(record.get(name)) for name in COLUMNS])


def _csv_line(cells: Iterable[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)
    return f"'{text}" if DANGEROUS.match(text) else text


WRITERS = {"jsonl": as_json_lines, "csv": as_csv}
CONTENT_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
