"""Verifying the chain of records, with the result stored for pages.

Problems can be accepted, for example after a backup was restored. An acceptance is a record that
names everything it accepts by hash, and is valid only while the sealed head points to it: nobody
can write one into the database, restore an old one or use it for anything else. Problems of the
head or of the file of notes as a whole cannot be accepted by a record; both are sealed again on
acceptance.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import transaction
from django.utils import timezone

from deid_portal.audit.anchors import Note, NotesFile, adopt_notes, anchor_chain, read_notes
from deid_portal.audit.heads import (
    has_chain_begun,
    is_sealed,
    last_event,
    lock_head,
    read_head,
    seal_head,
)
from deid_portal.audit.models import ChainHead, Event, Verification
from deid_portal.audit.seals import (
    UNREADABLE,
    VERIFICATION,
    is_seal_of,
    is_sealed_by_current_key,
    seal_of,
)
from deid_portal.audit.services import record_event
from deid_portal.engine.progress import Progress, ProgressCallback
from deid_portal.web.refusals import Refused

ACCEPTED = "audit.break_accepted"
MOST_PROBLEMS = 50
Marks = frozenset[str]


@dataclass(frozen=True)
class ChainProblem:
    """A place where the chain is broken, and the problem."""

    number: int
    words: str
    # Hashes that identify the problem; none if it cannot be accepted.
    marks: Marks = frozenset()
    is_readable: bool = True


def verify_chain(progress: ProgressCallback | None = None) -> Verification:
    """Verify every entry, some ten thousand a second; note the end of a valid chain."""
    head = read_head()
    problems = find_problems(progress=progress)
    first = problems[0] if problems else None
    found = Verification(
        pk=1,
        at=timezone.now(),
        records=head.number,
        broken_at=first.number if first else None,
        problem=first.words if first else "",
        anchors=len(read_notes().proven_notes(head)),
    )
    _keep(found)
    if first is None:
        anchor_chain()
    return found


def last_verification() -> Verification | None:
    """Return the last result, if it has a valid seal of the portal."""
    found = Verification.objects.filter(pk=1).first()
    is_ours = found and is_seal_of(found.seal, _words_of(found), VERIFICATION)
    return found if is_ours else None


def renew_verification() -> None:
    """Seal the last result with the current data key; for a change of that key."""
    found = last_verification()
    if found and not is_sealed_by_current_key(found.seal):
        _keep(found)


def _keep(found: Verification) -> None:
    found.seal = seal_of(_words_of(found), VERIFICATION)
    found.save()


def _words_of(found: Verification) -> str:
    said = [found.records, found.broken_at, found.problem, found.anchors]
    return json.dumps([found.at.isoformat(timespec="microseconds"), *said])


def find_problems(
    most: int | None = MOST_PROBLEMS, progress: ProgressCallback | None = None
) -> list[ChainProblem]:
    """Verify the whole chain and return its problems, except accepted ones."""
    found = islice(_walk(_accepted(), Progress(progress)), most)
    return sorted(found, key=lambda problem: problem.number)


def _accepted() -> Marks:
    """Return the marks accepted by the record that the sealed head points to."""
    head = read_head()
    if not head.accepted or not is_sealed(head):
        return frozenset()
    event = Event.objects.filter(action=ACCEPTED, hash=head.accepted).first()
    return frozenset(event.facts["found"]) if event and event.fits else frozenset()


def _walk(accepted: Marks, steps: Progress) -> Iterator[ChainProblem]:
    """Compare every record with the one before it, with the notes, and with the head.

    The head is read before the records and compared after them: a truncated chain is detected, and
    records written meanwhile are left to the next verification.
    """
    # The file is read between two reads of the head: it must hold the notes that the first counts,
    # and must not refer to records after the second.
    counting, file = read_head(), read_notes()
    head = read_head()
    notes = [note for note in file.proven_notes(counting) if note.mark not in accepted]
    for problem in _walk_records(head, notes, steps):
        if not problem.marks or not problem.marks <= accepted:
            yield problem
    yield from _compare_file(counting, file)


def _walk_records(head: ChainHead, notes: list[Note], steps: Progress) -> Iterator[ChainProblem]:
    notes_at: dict[int, list[Note]] = defaultdict(list)
    for note in notes:
        notes_at[note.number].append(note)
    previous, number = "", 0
    written = Event.objects.filter(number__lte=head.number).order_by("number")
    try:
        for event in written.iterator(chunk_size=2000):
            yield from _compare(event, number + 1, previous, notes_at[event.number])
            previous, number = event.hash, event.number
            steps.report(number, head.number, "records")
    except UNREADABLE:
        words = f"What stands after record {number:,} cannot be read: the portal never wrote it."
        yield ChainProblem(number + 1, words, is_readable=False)
        return
    yield from _compare_end(head, number, previous)
    yield from _compare_later_notes(head, notes)


def _compare(event: Event, number: int, previous: str, notes: list[Note]) -> Iterator[ChainProblem]:
    """Check one record, which should have this number and follow this hash."""
    if event.number != number:
        yield _missing(number, event.number - 1, previous)
    elif event.previous_hash != previous:
        words = f"Record {number:,} does not follow on the one before it."
        yield ChainProblem(number, words, _mark("does not follow", event.document(), previous))
    if not event.fits:
        words = f"Record {event.number:,} was changed after it was written."
        yield ChainProblem(event.number, words, _mark("changed", event.document()))
    wrong = frozenset(note.mark for note in notes if note.hash != event.hash)
    if wrong:
        words = f"Record {event.number:,} is not the one noted outside the database."
        yield ChainProblem(event.number, words, wrong)


def _compare_end(head: ChainHead, number: int, last: str) -> Iterator[ChainProblem]:
    if head.number > number:
        yield _missing(number + 1, head.number, last)
    elif head.hash != last:
        yield ChainProblem(number + 1, "The head of the chain does not belong to its last record.")
    # Records after the head are valid only if the head has moved meanwhile.
    stray = Event.objects.filter(number__gt=head.number).exists()
    if stray and not ChainHead.objects.filter(pk=1, number__gt=head.number).exists():
        yield ChainProblem(head.number + 1, "There are records after the head of the chain.")
    if head.number and not is_sealed(head):
        yield ChainProblem(number + 1, "The head of the chain was not sealed by this portal.")
    if not head.number and has_chain_begun():
        yield ChainProblem(
            1, "This portal has written records, and none of them is there any more."
        )


def _compare_later_notes(head: ChainHead, notes: list[Note]) -> Iterator[ChainProblem]:
    later = [note for note in notes if note.number > head.number]
    if later:
        words = _missing_words(head.number + 1, max(note.number for note in later))
        marks = frozenset(note.mark for note in later)
        yield ChainProblem(head.number + 1, f"{words} They were noted outside the database.", marks)


def _compare_file(head: ChainHead, file: NotesFile) -> Iterator[ChainProblem]:
    """Compare the file of notes with their number and hash in the head."""
    if not file.holds_what_was_written(head):
        yield ChainProblem(
            head.number,
            f"The file of notes outside the database is not as this portal wrote it: {head.notes:,}"
            f" notes were written, {len(file.anchors):,} lines are there, and some of the notes are"
            " missing or changed.",
        )
    elif file.count_proven(head) < len(file.anchors):
        yield ChainProblem(
            head.number,
            f"Line {file.count_proven(head) + 1:,} of the file of notes outside the database was "
            "not written by this portal.",
        )


def _missing(first: int, last: int, previous: str) -> ChainProblem:
    return ChainProblem(first, _missing_words(first, last), _mark("missing", first, last, previous))


def _missing_words(first: int, last: int) -> str:
    if first == last:
        return f"Record {first:,} is missing."
    return f"Records {first:,} to {last:,} are missing."


def _mark(*found: Any) -> Marks:
    return frozenset([hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()])


@transaction.atomic
def accept_breaks(reason: str) -> list[ChainProblem]:
    """Record the acceptance of all problems, and seal head and notes again."""
    if not reason.strip():
        raise Refused("Say why the chain is accepted as it is.")
    head = lock_head()
    problems = find_problems(most=None)
    if not problems:
        raise Refused("The chain is intact; there is nothing to accept.")
    unreadable = next((problem for problem in problems if not problem.is_readable), None)
    if unreadable:
        raise Refused(f"{unreadable.words} Put it back from a backup first.")
    _reset_to_last_record(head)
    # All problems found now, including those accepted before: one record names them all.
    found = sorted(
        {mark for problem in _walk(frozenset(), Progress(None)) for mark in problem.marks}
    )
    places = sorted({problem.number for problem in problems})
    facts = {"places": places, "reason": reason, "found": found}
    record_event(ACCEPTED, actor=None, team=None, subject=None, facts=facts, accept=True)
    transaction.on_commit(anchor_chain)
    return problems


def _reset_to_last_record(head: ChainHead) -> None:
    """Move a locked head to the last record, and let it count the present notes."""
    last = last_event()
    head.number = max(head.number, last.number if last else 0)
    head.hash = last.hash if last else ""
    adopt_notes(head, read_notes())
    seal_head(head)
