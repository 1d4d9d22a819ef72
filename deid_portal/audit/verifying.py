"""Walk the chain of records and keep what was found, so that pages can say it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from django.db import transaction
from django.utils import timezone

from deid_portal.audit.anchors import Anchor, anchor_chain, read_anchors
from deid_portal.audit.heads import is_sealed
from deid_portal.audit.models import ChainHead, Event, Verification
from deid_portal.audit.services import record_event
from deid_portal.common.refusals import Refused

ACCEPTED = "audit.break_accepted"
MOST_PROBLEMS = 50


@dataclass(frozen=True)
class Problem:
    """A place where the chain does not fit, and in what way."""

    number: int
    words: str


def verify_chain() -> Verification:
    """Recompute every entry; takes a second per some ten thousand. Notes the end if all fits."""
    head = ChainHead.objects.filter(pk=1).first() or ChainHead()
    problems = find_problems()
    first = problems[0] if problems else None
    found, _ = Verification.objects.update_or_create(
        pk=1,
        defaults={
            "at": timezone.now(),
            "records": head.number,
            "broken_at": first.number if first else None,
            "problem": first.words if first else "",
            "anchors": len(read_anchors()),
        },
    )
    if first is None:
        anchor_chain()
    return found


def last_verification() -> Verification | None:
    return Verification.objects.filter(pk=1).first()


def find_break() -> int | None:
    """Return the number of the first entry that does not fit, or None."""
    problems = find_problems()
    return problems[0].number if problems else None


def find_problems() -> list[Problem]:
    """Walk the whole chain and return where it does not fit, but for what was accepted before."""
    accepted = _accepted()
    found = []
    for problem in _walk():
        if problem.number not in accepted:
            found.append(problem)
        if len(found) == MOST_PROBLEMS:
            break
    return sorted(found, key=lambda problem: problem.number)


def _walk() -> Iterator[Problem]:
    """Compare every record with the one before it, with the notes outside, and with the head.

    The head is read before the records and compared after them: a chain cut short at its end is
    noticed, and entries that are written meanwhile are left to the next time.
    """
    # Notes before the head: one made in between would else be about records not yet looked at.
    notes = {anchor.number: anchor for anchor in read_anchors() if anchor.is_ours}
    head = ChainHead.objects.filter(pk=1).first() or ChainHead()
    previous, number = "", 0
    written = Event.objects.filter(number__lte=head.number).order_by("number")
    for event in written.iterator(chunk_size=2000):
        number += 1
        if event.number != number:
            yield Problem(number, _missing(number, event.number - 1))
        elif event.previous_hash != previous:
            yield Problem(number, f"Record {number:,} does not follow on the one before it.")
        elif not event.fits:
            yield Problem(number, f"Record {number:,} was changed after it was written.")
        elif number in notes and notes[number].hash != event.hash:
            yield Problem(number, f"Record {number:,} is not the one noted outside the database.")
        previous, number = event.hash, event.number
    yield from _compare_end(head, number, previous, notes)


def _compare_end(
    head: ChainHead, number: int, last: str, notes: dict[int, Anchor]
) -> Iterator[Problem]:
    noted = max(notes, default=0)
    if head.number > number:
        yield Problem(number + 1, _missing(number + 1, head.number))
    elif head.hash != last:
        yield Problem(number + 1, "The head of the chain does not belong to its last record.")
    if noted > head.number:
        words = _missing(head.number + 1, noted)
        yield Problem(head.number + 1, f"{words} They were noted outside the database.")
    # Entries beyond the head are all right only if the head has moved on with them.
    stray = Event.objects.filter(number__gt=head.number).exists()
    if stray and not ChainHead.objects.filter(pk=1, number__gt=head.number).exists():
        yield Problem(head.number + 1, "There are records after the head of the chain.")
    if head.number and not is_sealed(head):
        yield Problem(number + 1, "The head of the chain was not sealed by this portal.")


def _missing(first: int, last: int) -> str:
    if first == last:
        return f"Record {first:,} is missing."
    return f"Records {first:,} to {last:,} are missing."


def _accepted() -> set[int]:
    """Return the places that somebody with access to the server has taken note of."""
    accepts = Event.objects.filter(action=ACCEPTED)
    return {number for event in accepts if event.fits for number in event.facts["places"]}


@transaction.atomic
def accept_breaks(reason: str) -> list[Problem]:
    """Put on record that the places found are known, and seal the chain from here on."""
    if not reason.strip():
        raise Refused("Say why the chain is accepted as it is.")
    problems = find_problems()
    if not problems:
        raise Refused("The chain is intact; there is nothing to accept.")
    facts = {"places": sorted({problem.number for problem in problems}), "reason": reason}
    record_event(ACCEPTED, actor=None, team=None, subject=None, facts=facts, accept=True)
    transaction.on_commit(partial(anchor_chain, accepts=True))
    return problems
