"""An export can be checked with nothing but the file, and hides what is not the team's."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client

from deid_portal.accounts.models import User
from deid_portal.audit.checking_exports import check_export
from deid_portal.audit.hashing import content_hash_of, hash_of
from deid_portal.audit.models import Event
from deid_portal.audit.services import record_event
from deid_portal.common.refusals import Refused
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
    "removed": lambda lines: lines.pop(2),
    "removed and renumbered": lambda lines: (
        [line.update(number=line["number"] - 1) for line in lines[3:] if lines[2] in lines]
        and lines.pop(2)
    ),
    "reordered": lambda lines: lines.insert(2, lines.pop(3)),
    "cut at the end": lambda lines: lines.pop(),
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


def test_a_forged_export_is_not_of_this_portal(world: Cast, tmp_path: Path) -> None:
    """A file made up from nothing fits itself; only the portal can tell."""
    with transaction.atomic():
        event = record_event("audit.exported", actor=None, team=None, subject=None)
    forged = {**event.document(), "facts": {"first": event.number, "records": 1}}
    forged["content_hash"], forged["hash"] = content_hash_of(forged), hash_of(forged)
    path = tmp_path / "forged.jsonl"
    path.write_text(json.dumps(forged))
    with pytest.raises(CommandError, match="not of this portal"):
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
