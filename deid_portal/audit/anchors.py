"""Notes of the end of the chain at certain times, in a file outside the database.

A seal alone cannot distinguish an old end of the chain from the present one: whoever kept a copy of
an old head could delete later records and restore the copy. The notes reveal that, except for
records after the last note.

The same person may have access to the file. So every note is sealed together with the hash of all
notes before it, and the sealed head holds their number and hash. Notes that were edited, removed,
added or moved are detected, and so is an emptied file. Only database and file restored to the same
earlier time together go undetected: against that, let AUDIT_ANCHORS name a file on write-once
storage.

The file is only ever appended to, also when the data key changes: earlier notes are proven by a
later one or by the head, not by their own seal. What must never happen: a valid note after an
invalid one, because it would confirm it. So no note is written while the file is not valid.
"""

import errno
import hashlib
import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from deid_portal.audit.heads import is_sealed, lock_head, mark_chain_as_begun, seal_head
from deid_portal.audit.models import ChainHead
from deid_portal.audit.seals import NOTE, UNREADABLE, is_seal_of, seal_of


@dataclass(frozen=True)
class Anchor:
    at: str
    number: int
    hash: str
    # Only in notes of versions whose acceptances did not name what they accept: all earlier notes
    # are void.
    accepts: bool = False
    # The hash of all notes before it; None in notes of versions that did not chain them.
    previous: str | None = None
    seal: str = ""

    @property
    def words(self) -> str:
        return json.dumps([self.at, self.number, self.hash, self.accepts, self.previous])

    def follows_on(self, previous: str) -> bool:
        """Say whether this portal wrote the note directly after the notes with this hash."""
        return self.previous == previous and is_seal_of(self.seal, self.words, NOTE)


@dataclass(frozen=True)
class Note:
    """A proven note, and its mark: the unique hash of it and all notes before it."""

    number: int
    hash: str
    mark: str


class NotesFile:
    """The present lines of the file, valid or not."""

    def __init__(self, lines: list[str]) -> None:
        self.anchors = [_parse(line) for line in lines]
        self.hashes = [""]
        for anchor in self.anchors:
            self.hashes.append(_hash_of(self.hashes[-1], anchor))

    def holds_what_was_written(self, head: ChainHead) -> bool:
        """Say whether the file holds the notes that the head counts, in their order."""
        return head.notes < len(self.hashes) and self.hashes[head.notes] == head.notes_hash

    def count_proven(self, head: ChainHead) -> int:
        """Count the notes up to the last one proven by a valid seal."""
        by_head = head.notes if is_sealed(head) and self.holds_what_was_written(head) else 0
        for place in range(len(self.anchors), by_head, -1):
            if self.anchors[place - 1].follows_on(self.hashes[place - 1]):
                return place
        return by_head

    def is_proven(self, head: ChainHead) -> bool:
        written = self.holds_what_was_written(head)
        return written and self.count_proven(head) == len(self.anchors)

    def proven_notes(self, head: ChainHead) -> list[Note]:
        """Return the notes to compare records with, without those an old acceptance voided."""
        notes: list[Note] = []
        for place in range(self.count_proven(head)):
            anchor = self.anchors[place]
            if anchor.accepts:
                notes.clear()
            notes.append(Note(anchor.number, anchor.hash, self.hashes[place + 1]))
        return notes


def read_notes() -> NotesFile:
    path = notes_path()
    return NotesFile(path.read_text(errors="replace").splitlines() if path.is_file() else [])


def anchor_chain() -> bool:
    """Note the end of the chain; False if it is noted already, or head or notes are invalid."""
    if not ChainHead.objects.filter(pk=1).exists():
        return False
    with transaction.atomic():
        head, notes = lock_head(), read_notes()
        if not is_sealed(head) or not notes.is_proven(head):
            return False
        if head.number:
            mark_chain_as_begun()
        is_noted = bool(notes.anchors) and notes.anchors[-1].hash == head.hash
        if not is_noted:
            _append(_note_of(head, notes))
            notes = read_notes()
        # The file first: if a crash lost a note that the head counts, verification would fail.
        if head.notes != len(notes.anchors):
            adopt_notes(head, notes)
            seal_head(head)
    return not is_noted


def adopt_notes(head: ChainHead, notes: NotesFile) -> None:
    """Let the head count the present notes; the caller has to seal it again."""
    head.notes, head.notes_hash = len(notes.anchors), notes.hashes[-1]


def notes_path() -> Path:
    return Path(settings.AUDIT_ANCHORS or settings.DATA_DIR / "audit-anchors.jsonl")


def _note_of(head: ChainHead, notes: NotesFile) -> Anchor:
    at = timezone.now().isoformat(timespec="seconds")
    note = Anchor(at, head.number, head.hash, previous=notes.hashes[-1])
    return replace(note, seal=seal_of(note.words, NOTE))


def _hash_of(previous: str, anchor: Anchor) -> str:
    return hashlib.sha256(f"{previous}{anchor.words}".encode()).hexdigest()


def _parse(line: str) -> Anchor:
    """Read a note; one that cannot be read refers to no record."""
    try:
        anchor = Anchor(**json.loads(line))
        return replace(anchor, number=int(anchor.number), seal=str(anchor.seal))
    except UNREADABLE:
        return Anchor(at=line, number=0, hash="")


def _append(anchor: Anchor) -> None:
    path = notes_path()
    path.parent.mkdir(parents=True, exist_ok=True)
    line = f"{json.dumps(asdict(anchor))}\n".encode()
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        size = os.fstat(handle).st_size
        if size and os.pread(handle, 1, size - 1) != b"\n":  # a line without a line break
            line = b"\n" + line
        if os.write(handle, line) != len(line):  # the disk is full
            with suppress(OSError):  # on append-only storage
                os.ftruncate(handle, size)
            raise OSError(errno.ENOSPC, "The note about the audit record could not be written.")
        os.fsync(handle)
    finally:
        os.close(handle)
