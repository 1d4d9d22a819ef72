"""Walk the chain of records and keep what was found, so that pages can say it.

What was found can be accepted, after a backup was put back for example. An acceptance is a record
that names everything it accepts by hash, and it counts only as long as the sealed head points to
it: nobody can write one into the database, bring an old one back or use it for anything else. What
is wrong with the head or with the file of notes as a whole cannot be excused by any record; both
are sealed anew when somebody accepts.
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
from deid_portal.web.refusals import Refused

ACCEPTED = "audit.break_accepted"
MOST_PROBLEMS = 50
Marks = frozenset[str]


@dataclass(frozen=True)
class ChainProblem:
    """A place where the chain does not fit, and in what way."""

    number: int
    words: str
    # Hashes of exactly what was found; none where no acceptance can excuse it.
    marks: Marks = frozenset()
    is_readable: bool = True


def verify_chain() -> Verification:
    """Recompute every entry; takes a second per some ten thousand. Notes the end if all fits."""
    head = read_head()
    problems = find_problems()
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
    """Return what was found last, unless somebody else than the portal has written it."""
    found = Verification.objects.filter(pk=1).first()
    is_ours = found and is_seal_of(found.seal, _words_of(found), VERIFICATION)
    return found if is_ours else None


def renew_verification() -> None:
    """Seal what was found last with the current data key; for a change of that key."""
    found = last_verification()
    if found and not is_sealed_by_current_key(found.seal):
        _keep(found)


def _keep(found: Verification) -> None:
    found.seal = seal_of(_words_of(found), VERIFICATION)
    found.save()


def _words_of(found: Verification) -> str:
    said = [found.records, found.broken_at, found.problem, found.anchors]
    return json.dumps([found.at.isoformat(timespec="microseconds"), *said])


def find_problems(most: int | None = MOST_PROBLEMS) -> list[ChainProblem]:
    """Walk the whole chain and return where it does not fit, but for what was accepted before."""
    return sorted(islice(_walk(_accepted()), most), key=lambda problem: problem.number)


def _accepted() -> Marks:
    """Return what was accepted by the one record that the sealed head points to."""
    head = read_head()
    if not head.accepted or not is_sealed(head):
        return frozenset()
    event = Event.objects.filter(action=ACCEPTED, hash=head.accepted).first()
    return frozenset(event.facts["found"]) if event and event.fits else frozenset()


def _walk(accepted: Marks) -> Iterator[ChainProblem]:
    """Compare every record with the one before it, with the notes outside, and with the head.

    The head is read before the records and compared after them: a chain cut short at its end is
    noticed, and entries that are written meanwhile are left to the next time.
    """
    # Between two looks at the head: the notes that the first one counts must be in the file, and
    # the file must not tell of records after the second one.
    counting, file = read_head(), read_notes()
    head = read_head()
    notes = [note for note in file.proven_notes(counting) if note.mark not in accepted]
    for problem in _walk_records(head, notes):
        if not problem.marks or not problem.marks <= accepted:
            yield problem
    yield from _compare_file(counting, file)


def _walk_records(head: ChainHead, notes: list[Note]) -> Iterator[ChainProblem]:
    notes_at: dict[int, list[Note]] = defaultdict(list)
    for note in notes:
        notes_at[note.number].append(note)
    previous, number = "", 0
    written = Event.objects.filter(number__lte=head.number).order_by("number")
    try:
        for event in written.iterator(chunk_size=2000):
            yield from _compare(event, number + 1, previous, notes_at[event.number])
            previous, number = event.hash, event.number
    except UNREADABLE:
        words = f"What stands after record {number:,} cannot be read: the portal never wrote it."
        yield ChainProblem(number + 1, words, is_readable=False)
        return
    yield from _compare_end(head, number, previous)
    yield from _compare_later_notes(head, notes)


def _compare(event: Event, number: int, previous: str, notes: list[Note]) -> Iterator[ChainProblem]:
    """Look at one record, which should have this number and follow on this hash."""
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
    # Entries beyond the head are all right only if the head has moved on with them.
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
    """Compare the file of notes with what the head says was written to it."""
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
    """Put on record that what was found is known, and seal head and notes from here on."""
    if not reason.strip():
        raise Refused("Say why the chain is accepted as it is.")
    head = lock_head()
    problems = find_problems(most=None)
    if not problems:
        raise Refused("The chain is intact; there is nothing to accept.")
    unreadable = next((problem for problem in problems if not problem.is_readable), None)
    if unreadable:
        raise Refused(f"{unreadable.words} Put it back from a backup first.")
    _take_as_it_is(head)
    # Everything that will be found from now on, also what was accepted before: one record says all.
    found = sorted({mark for problem in _walk(frozenset()) for mark in problem.marks})
    places = sorted({problem.number for problem in problems})
    facts = {"places": places, "reason": reason, "found": found}
    record_event(ACCEPTED, actor=None, team=None, subject=None, facts=facts, accept=True)
    transaction.on_commit(anchor_chain)
    return problems


def _take_as_it_is(head: ChainHead) -> None:
    """Let a locked head stand at the last record there is, and count the notes there are."""
    last = last_event()
    head.number = max(head.number, last.number if last else 0)
    head.hash = last.hash if last else ""
    adopt_notes(head, read_notes())
    seal_head(head)
