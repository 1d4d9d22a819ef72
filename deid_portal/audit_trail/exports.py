"""The record as a file that can be checked far away from the portal.

Records that were not requested, or belong to another team, are exported as links: their number and
hashes without their content. So the chain in the file has no gap, and it can be verified that no
record was removed, reordered or edited. The last record is that of the export itself and names the
first, so a truncated file is detected as well.

The last line signs all bytes above it, with the key that also signs packages: this covers data that
is not part of a record and its hash, above all names of people. Records hold the id of the account,
which never changes; the file shows the name the account had when the file was written.
"""

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from django.db import transaction
from django.db.models import Min, QuerySet

from deid_portal.accounts.models import Team, User
from deid_portal.audit.models import Event
from deid_portal.audit.services import record_event
from deid_portal.audit_trail.selectors import AuditSearch, search
from deid_portal.engine.verification.signatures import is_signed
from deid_portal.vault.signing_key import Signer, read_or_make_signer

EXPORTED = "audit.exported"
SIGNATURE = "signature"
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
PEM_BEGINS, PEM_ENDS = "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----"
AT_ONCE = 2000
# Characters that start a formula in a spreadsheet, and the sign that prevents that.
DANGEROUS = re.compile(r"['\t\r\n]|[\s\ufeff\u200b]*[=+\-@\uff1d\uff0b\uff0d\uff20]")


@dataclass(frozen=True)
class Export:
    """A recorded export: its filter, its first and last record, and its signer."""

    team: Team | None
    wanted: AuditSearch
    file_format: str
    signer: Signer
    first: int
    last: int

    def content(self) -> Iterator[bytes]:
        """Yield the file line by line, the signature of all lines as the last."""
        digest = hashlib.sha256()
        for line in WRITERS[self.file_format](self._records()):
            digest.update(line)
            yield line
        yield SIGNATURE_WRITERS[self.file_format](sign_digest(self.signer, digest.digest()))

    def _records(self) -> Iterator[dict[str, Any]]:
        """Yield every record from the first to the last, those not requested as links."""
        for start in range(self.first, self.last + 1, AT_ONCE):
            span = (start, min(start + AT_ONCE - 1, self.last))
            shown = search(_records_of(self.team), self.wanted).filter(number__range=span)
            numbers = {*shown.values_list("number", flat=True), self.last}
            events = Event.objects.filter(number__range=span).order_by("number")
            for event in events.select_related("actor"):
                yield _full(event) if event.number in numbers else _link(event)


@transaction.atomic
def begin_export(
    *, team: Team | None, exported_by: User | None, wanted: AuditSearch, file_format: str
) -> Export:
    """Record an export; the caller writes the content of the returned export."""
    signer = read_or_make_signer()
    found = search(_records_of(team), wanted)
    first = found.aggregate(first=Min("number"))["first"] or _next_number()
    facts = {
        "format": file_format,
        "records": found.count() + 1,
        "searched_by": sorted(wanted.parts),
        "first": first,
        "signed_by": signer.fingerprint,
    }
    event = record_event(EXPORTED, actor=exported_by, team=team, subject=team, facts=facts)
    return Export(team, wanted, file_format, signer, first, event.number)


@dataclass(frozen=True)
class Signature:
    """Both in base64, so that a signature is one line."""

    signature: str
    public_key: str

    @property
    def pem(self) -> bytes:
        return f"{PEM_BEGINS}\n{self.public_key}\n{PEM_ENDS}\n".encode()

    def is_of(self, digest: bytes) -> bool:
        return is_signed(self.pem, self.signature.encode(), signed_words(digest))


def sign_digest(signer: Signer, digest: bytes) -> Signature:
    signature = signer.sign(signed_words(digest)).decode().strip()
    public_key = signer.public_key.decode().removeprefix(PEM_BEGINS).strip()
    return Signature(signature, public_key.removesuffix(PEM_ENDS).strip())


def signed_words(digest: bytes) -> bytes:
    """The kind of file comes first, so that a signature of a package is not valid for an export."""
    return b"audit export " + digest.hex().encode()


def _next_number() -> int:
    last = Event.objects.order_by("-number").first()
    return last.number + 1 if last else 1


def _records_of(team: Team | None) -> QuerySet[Event]:
    return Event.objects.filter(team_id=team.id) if team else Event.objects.all()


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


def _sign_json_lines(signature: Signature) -> bytes:
    return json.dumps(asdict(signature)).encode() + b"\n"


def _sign_csv(signature: Signature) -> bytes:
    return _csv_line([SIGNATURE, *map(_cell, asdict(signature).values())])


WRITERS = {"jsonl": as_json_lines, "csv": as_csv}
SIGNATURE_WRITERS = {"jsonl": _sign_json_lines, "csv": _sign_csv}
CONTENT_TYPES = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
