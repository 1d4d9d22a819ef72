"""An export can be checked with nothing but the file, and hides what is not the team's."""

import csv
import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.audit.hashes import content_hash_of, hash_of
from deid_portal.audit.models import Event
from deid_portal.audit.services import record_event
from deid_portal.audit_trail.export_check import check_export
from deid_portal.audit_trail.exports import COLUMNS, sign_digest
from deid_portal.vault.signing_key import Signer, read_or_make_signer
from deid_portal.web.refusals import Refused
from tests import factories
from tests.conftest import Cast

SignIn = Callable[[User], Client]
EXPORT = "/audit/export/"
NAME = "=1+1 \"quoted\", 'twice'\nand a second line"


def exported(client: Client, file_format: str, **wanted: str) -> bytes:
    answer = client.post(EXPORT, {"format": file_format, **wanted})
    assert answer.status_code == 200
    return answer.getvalue()


@pytest.fixture
def world(cast: Cast) -> Cast:
    """Records of two teams, one about a thing whose name a spreadsheet would run."""
    with transaction.atomic():
        strange = factories.make_team(NAME)
        facts = {"share": 0.1, "name": "-x", "list": [1, 2]}
        record_event("team.named", actor=cast.steward, team=cast.team, subject=strange, facts=facts)
        record_event("team.hidden", actor=cast.outsider, team=strange, subject=strange)
        record_event("team.named", actor=cast.steward, team=cast.team, subject=cast.team)
    return cast


@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
@pytest.mark.parametrize("wanted", [{}, {"action": "team.named"}, {"words": "nothing at all"}])
def test_an_export_is_intact_and_on_record(
    file_format: str, wanted: dict[str, str], world: Cast, signed_in: SignIn, tmp_path: Path
) -> None:
    path = tmp_path / "audit"
    path.write_bytes(exported(signed_in(world.steward), file_format, **wanted))
    found = check_export(path)
    event = Event.objects.get(action="audit.exported")
    assert (event.actor, event.team_id) == (world.steward, world.team.id)
    assert (event.number, event.hash) == (found.last, found.hash)
    assert found.records == event.facts["records"]
    assert b"team.hidden" not in path.read_bytes()
    call_command("verify_audit", export=path)


def test_the_whole_record_is_exported_by_the_command(world: Cast, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    call_command("export_audit", str(path))
    assert check_export(path).links == 0
    assert "team.hidden" in path.read_text()


def test_no_cell_runs_in_a_spreadsheet(world: Cast, signed_in: SignIn) -> None:
    rows = list(csv.reader(io.StringIO(exported(signed_in(world.steward), "csv").decode())))
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert [row for row in rows if f"'{NAME}" in row]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


TAMPERING: dict[str, Callable[[list[dict[str, Any]]], object]] = {
    "edited": lambda lines: lines[2].update(action="nothing"),
    "edited facts": lambda lines: lines[2]["facts"].update(person="x"),
    "edited link": lambda lines: next(li for li in lines if "action" not in li).update(
        content_hash="0" * 64
    ),
    "edited name": lambda lines: [
        line.update(person="Nobody") for line in lines if line.get("person")
    ],
    "added column": lambda lines: lines[2].update(note="Checked."),
    "edited signature": lambda lines: lines[-1].update(signature="A" * 86 + "=="),
    "signature removed": lambda lines: lines.pop(),
    "removed": lambda lines: lines.pop(2),
    "removed and renumbered": lambda lines: (
        [line.update(number=line["number"] - 1) for line in lines[3:-1] if lines[2] in lines]
        and lines.pop(2)
    ),
    "reordered": lambda lines: lines.insert(2, lines.pop(3)),
    "cut at the end": lambda lines: lines.pop(-2),
    "cut at the beginning": lambda lines: lines.pop(0),
    "made into a link": lambda lines: [
        lines[2].pop(name) for name in ("action", "facts", "salt", "content_hash")
    ],
    "made into a link that fits": lambda lines: [
        lines[2].pop(name) for name in ("action", "facts", "salt")
    ],
    "emptied": lambda lines: lines.clear(),
}


@pytest.mark.parametrize("kind", TAMPERING)
def test_a_changed_export_is_found(
    kind: str, world: Cast, signed_in: SignIn, tmp_path: Path
) -> None:
    path = tmp_path / "audit.jsonl"
    path.write_bytes(exported(signed_in(world.steward), "jsonl"))
    lines = lines_of(path)
    TAMPERING[kind](lines)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(Refused):
        check_export(path)


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("file_format", ["csv", "jsonl"])
def test_every_column_that_is_printed_is_covered(
    column: str, file_format: str, world: Cast, tmp_path: Path
) -> None:
    path = tmp_path / f"all.{file_format}"
    call_command("export_audit", str(path))
    path.write_bytes(CHANGE_A_CELL[file_format](path.read_bytes(), column))
    with pytest.raises(Refused):
        check_export(path)


def change_a_cell_of_csv(content: bytes, column: str) -> bytes:
    rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
    rows[3][rows[0].index(column)] += "1"
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def change_a_cell_of_json(content: bytes, column: str) -> bytes:
    lines = content.splitlines(keepends=True)
    line = json.loads(lines[3])
    line[column] = f"{line[column]}1" if column != "facts" else {**line[column], "more": 1}
    lines[3] = json.dumps(line, ensure_ascii=False).encode() + b"\n"
    return b"".join(lines)


CHANGE_A_CELL = {"csv": change_a_cell_of_csv, "jsonl": change_a_cell_of_json}


def test_a_name_is_shown_once_more_beside_the_true_one_and_found(
    world: Cast, tmp_path: Path
) -> None:
    """Of two entries with one name, a reader sees the first and a program takes the last."""
    path = tmp_path / "all.jsonl"
    call_command("export_audit", str(path))
    path.write_text(path.read_text().replace('"person":', '"person": "Nobody", "person":'))
    with pytest.raises(Refused, match="changed after it was signed"):
        check_export(path)


def test_a_person_who_is_renamed_later_changes_no_file(world: Cast, tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    call_command("export_audit", str(path))
    world.steward.first_name = "Renamed"
    world.steward.save()
    call_command("verify_audit", export=path)


def forge(path: Path, signer: Signer) -> None:
    """Make a file up from nothing, with hashes that fit and a signature that is good."""
    with transaction.atomic():
        event = record_event("audit.exported", actor=None, team=None, subject=None)
    facts = {"first": event.number, "records": 1, "signed_by": signer.fingerprint}
    forged = {**event.document(), "facts": facts, "person": "Nobody"}
    forged["content_hash"], forged["hash"] = content_hash_of(forged), hash_of(forged)
    line = json.dumps(forged).encode() + b"\n"
    signature = sign_digest(signer, hashlib.sha256(line).digest())
    path.write_bytes(line + json.dumps(asdict(signature)).encode() + b"\n")


def test_a_forged_export_is_not_of_this_portal(world: Cast, tmp_path: Path) -> None:
    """A file made up from nothing fits itself; the portal can tell, and who has its key."""
    path, key = tmp_path / "forged.jsonl", tmp_path / "portal.pub"
    forge(path, Signer(b"a seed that somebody else chose!"))
    assert check_export(path).records == 1
    with pytest.raises(CommandError, match="not of this portal"):
        call_command("verify_audit", export=path)
    key.write_bytes(read_or_make_signer().public_key)
    with pytest.raises(CommandError, match="another key than the one you gave"):
        call_command("verify_audit", export=path, key=key)


def test_the_signature_of_another_key_than_the_one_on_record_is_refused(
    world: Cast, tmp_path: Path
) -> None:
    path = tmp_path / "all.jsonl"
    call_command("export_audit", str(path))
    records = b"".join(path.read_bytes().splitlines(keepends=True)[:-1])
    other = sign_digest(Signer(bytes(32)), hashlib.sha256(records).digest())
    path.write_bytes(records + json.dumps(asdict(other)).encode())
    with pytest.raises(Refused, match="another key than its last record says"):
        check_export(path)


def test_an_export_is_checked_with_the_key_of_its_portal(world: Cast, tmp_path: Path) -> None:
    path, key = tmp_path / "all.jsonl", tmp_path / "portal.pub"
    call_command("export_audit", str(path))
    key.write_bytes(read_or_make_signer().public_key)
    said = io.StringIO()
    call_command("verify_audit", export=path, key=key, stdout=said)
    assert "All of it is signed with the key you gave." in said.getvalue()
    with pytest.raises(CommandError, match="no readable key"):
        call_command("verify_audit", export=path, key=tmp_path / "missing")


def test_a_file_of_before_exports_were_signed_is_said_to_be_uncovered(
    world: Cast, tmp_path: Path
) -> None:
    path = tmp_path / "old.jsonl"
    call_command("export_audit", str(path))
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(CommandError, match="the file is not signed"):
        call_command("verify_audit", export=path)


@pytest.mark.parametrize("content", ["", "{", "number,at\n1,2\n", '{"number": 1}', "\x00"])
def test_what_is_no_export_is_refused_in_a_sentence(content: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(content)
    with pytest.raises(Refused):
        check_export(path)


@pytest.mark.parametrize("person", ["reviewer", "approver"])
def test_others_look_but_take_nothing_away(person: str, world: Cast, signed_in: SignIn) -> None:
    client = signed_in(getattr(world, person))
    assert client.post(EXPORT, {"format": "csv"}).status_code == 403
    assert "can export its record" in client.get("/audit/").content.decode()
    assert not Event.objects.filter(action="audit.exported").exists()
