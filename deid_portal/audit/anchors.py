"""Notes about the chain, kept in a file outside the database: at this moment it ended so.

A seal alone cannot tell an old end of the chain from the present one: whoever kept a copy of an old
head could cut off what came later and put the copy back. Such a cut shows against the notes, except
for what was written after the last of them. Every note is sealed like the head.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from deid_portal.audit.heads import is_seal_of, is_sealed, is_sealed_by_current_key, seal_of
from deid_portal.audit.models import ChainHead


@dataclass(frozen=True)
class Anchor:
    at: str
    number: int
    hash: str
    # Earlier notes that do not fit were accepted, after a backup was put back for example.
    accepts: bool = False
    seal: str = ""

    @property
    def words(self) -> str:
        return f"{self.at}:{self.number}:{self.hash}:{self.accepts}"

    @property
    def is_ours(self) -> bool:
        return is_seal_of(self.seal, self.words)


def anchor_chain(*, accepts: bool = False) -> bool:
    """Note where the chain ends; False if that is noted already, or if the end is not sealed."""
    head = ChainHead.objects.filter(pk=1).first()
    noted = read_anchors()
    if head is None or not is_sealed(head):
        return False
    if noted and noted[-1].hash == head.hash and not accepts:
        return False
    note = Anchor(timezone.now().isoformat(timespec="seconds"), head.number, head.hash, accepts)
    _append(Anchor(**{**asdict(note), "seal": seal_of(note.words)}))
    return True


def read_anchors() -> list[Anchor]:
    """Return the notes since the last one that accepts, in the order they were made."""
    found: list[Anchor] = []
    for line in _lines():
        anchor = _parse(line)
        if anchor.accepts and anchor.is_ours:
            found.clear()
        found.append(anchor)
    return found


def renew_anchors() -> bool:
    """Seal every good note again with the current data key; for a change of that key."""
    anchors = [_parse(line) for line in _lines()]
    if all(is_sealed_by_current_key(anchor.seal) for anchor in anchors):
        return False
    renewed = [
        Anchor(**{**asdict(one), "seal": seal_of(one.words)}) if one.is_ours else one
        for one in anchors
    ]
    path = _path()
    fresh = path.with_suffix(".part")
    fresh.write_text("".join(f"{_line_of(anchor)}\n" for anchor in renewed))
    fresh.replace(path)
    return True


def _path() -> Path:
    return Path(settings.AUDIT_ANCHORS or settings.DATA_DIR / "audit-anchors.jsonl")


def _lines() -> list[str]:
    path = _path()
    return path.read_text().splitlines() if path.is_file() else []


def _parse(line: str) -> Anchor:
    """Read a note; one that cannot be read is nobody's."""
    try:
        return Anchor(**json.loads(line))
    except (TypeError, ValueError):
        return Anchor(at="", number=0, hash="")


def _line_of(anchor: Anchor) -> str:
    return json.dumps(asdict(anchor))


def _append(anchor: Anchor) -> None:
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(handle, f"{_line_of(anchor)}\n".encode())
        os.fsync(handle)
    finally:
        os.close(handle)
