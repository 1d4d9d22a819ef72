"""What was found can be accepted by who holds the data key, and forged by nobody else.

The attacker of these tests writes to every table of the database and to the file of notes, keeps
copies of everything that was ever in them, and knows the code; only the data key is out of reach.
"""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from pytest_django import Settings
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks

from deid_portal.audit.anchors import notes_path, read_notes
from deid_portal.audit.heads import seal_head
from deid_portal.audit.models import ChainHead, Event, Verification
from deid_portal.audit.tasks import note_end_of_chain, verify_audit_chain
from deid_portal.audit.verification import ACCEPTED, find_problems, last_verification
from tests.audit.chain import find_break
from tests.audit.test_chain import (
    cut_the_end,
    edit,
    record,
    remove,
    rewrite_everything_from_an_edit,
    run_sql,
)
from tests.conftest import Cast

Accept = Callable[[str], None]


@pytest.fixture
def accept(django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks) -> Accept:
    def accept(reason: str) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            call_command("verify_audit", accept=reason)

    return accept


def words() -> str:
    return " ".join(problem.words for problem in find_problems())


def note(times: int = 1) -> None:
    """Let the portal go on and note where its chain ends."""
    for _ in range(times):
        record()
        note_end_of_chain()


def lines() -> list[str]:
    return notes_path().read_text().splitlines(keepends=True)


def forge_acceptance(found: list[str], places: list[int]) -> Event:
    """Append an acceptance that fits the chain, as somebody does who knows this code."""
    head = ChainHead.objects.get()
    facts = {"places": places, "reason": "Restored.", "found": found}
    forged = Event(
        number=head.number + 1,
        at=timezone.now(),
        action=ACCEPTED,
        subject_kind="portal",
        facts=facts,
        salt="0" * 32,
        previous_hash=head.hash,
    )
    forged.seal()
    forged.save()
    run_sql(
        "UPDATE audit_chainhead SET number=%s, hash=%s, accepted=%s",
        forged.number,
        forged.hash,
        forged.hash,
    )
    return forged


def test_a_forged_acceptance_excuses_nothing(cast: Cast) -> None:
    edit(3)
    found = [mark for problem in find_problems() for mark in problem.marks]
    forge_acceptance(found, places=list(range(1, 100)))
    assert "Record 3 was changed" in words()
    assert "not sealed by this portal" in words()
    record()
    assert find_break() == 3


def test_an_acceptance_that_only_numbers_places_excuses_nothing(cast: Cast) -> None:
    """As acceptances were before they named what they accept, written by the portal itself."""
    edit(3)
    run_sql(
        "UPDATE audit_event SET action=%s, facts=%s WHERE number=4",
        ACCEPTED,
        json.dumps({"places": [3, 4, 5], "reason": "Restored."}),
    )
    assert find_break() == 3


def test_what_is_accepted_is_on_record_and_the_next_break_is_found(
    cast: Cast, accept: Accept
) -> None:
    rewrite_everything_from_an_edit()
    edit(5)
    accept("Restored from the backup of Monday.")
    assert find_break() is None
    assert Event.objects.order_by("-number")[0].action == ACCEPTED
    record()
    assert find_break() is None
    edit(7)
    assert find_break() == 7


def test_accepting_one_edit_does_not_excuse_another_of_the_same_record(
    cast: Cast, accept: Accept
) -> None:
    edit(3)
    accept("An error of the administrator.")
    assert find_break() is None
    run_sql("UPDATE audit_event SET action = 'something else' WHERE number = 3")
    assert find_break() == 3


def test_accepting_a_gap_does_not_excuse_an_edit_beside_it(cast: Cast, accept: Accept) -> None:
    remove()
    accept("Lost.")
    assert find_break() is None
    edit(4)
    assert find_break() == 4


def test_accepting_a_gap_does_not_excuse_a_wider_one(cast: Cast, accept: Accept) -> None:
    remove()
    accept("Lost.")
    run_sql("DELETE FROM audit_event WHERE number = 4")
    assert find_break() == 3


def test_two_acceptances_hold_together(cast: Cast, accept: Accept) -> None:
    edit(3)
    accept("The first.")
    edit(5)
    assert find_break() == 5
    accept("The second.")
    assert find_break() is None


def test_an_acceptance_copied_to_another_place_excuses_nothing(cast: Cast, accept: Accept) -> None:
    """An old one, rightly made for record 3, is to excuse a new edit after a newer acceptance."""
    edit(3)
    accept("The first.")
    first = Event.objects.get(action=ACCEPTED)
    edit(5)
    forge_acceptance([*first.facts["found"]], places=[3, 5])
    assert "Record 3 was changed" in words()
    assert "Record 5 was changed" in words()
    run_sql("UPDATE audit_chainhead SET accepted=%s", first.hash)
    assert "Record 5 was changed" in words()
    assert "not sealed by this portal" in words()


def test_an_edited_acceptance_excuses_nothing(cast: Cast, accept: Accept) -> None:
    edit(3)
    accept("The first.")
    edit(5)
    marks = sorted(mark for problem in find_problems() for mark in problem.marks)
    run_sql(
        "UPDATE audit_event SET facts=%s WHERE action=%s", json.dumps({"found": marks}), ACCEPTED
    )
    assert find_break() == 3


def test_a_head_of_before_the_acceptance_excuses_nothing(cast: Cast, accept: Accept) -> None:
    edit(3)
    before = ChainHead.objects.get()
    accept("The first.")
    before.save()
    assert find_break() == 3


def test_a_record_inserted_at_the_end_is_found(cast: Cast) -> None:
    forged = forge_acceptance([], places=[])
    assert find_break() == forged.number + 1
    run_sql(
        "UPDATE audit_chainhead SET number=%s, hash=%s", forged.number - 1, forged.previous_hash
    )
    run_sql("UPDATE audit_chainhead SET accepted=''")
    assert words() == "There are records after the head of the chain."


def delete_notes(path: Path) -> None:
    path.unlink()


def empty_notes(path: Path) -> None:
    path.write_text("")


def cut_notes(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))


def remove_a_note(path: Path) -> None:
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))


def reorder_notes(path: Path) -> None:
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))


def edit_a_note(path: Path) -> None:
    path.write_text(path.read_text().replace('"number": ', '"number": 9', 1))


def copy_a_note(path: Path) -> None:
    path.write_text(path.read_text() + path.read_text().splitlines(keepends=True)[0])


def add_a_note(path: Path) -> None:
    path.write_text(path.read_text() + '{"at": "", "number": 1, "hash": "", "accepts": true}\n')


def add_rubbish(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\xff{")


NOTES_TAMPERING = [
    delete_notes,
    empty_notes,
    cut_notes,
    remove_a_note,
    reorder_notes,
    edit_a_note,
    copy_a_note,
    add_a_note,
    add_rubbish,
]


@pytest.mark.parametrize("tamper", NOTES_TAMPERING, ids=lambda tamper: tamper.__name__)
def test_a_file_of_notes_that_is_not_as_written_is_found(
    tamper: Callable[[Path], None], cast: Cast, accept: Accept
) -> None:
    note(times=3)
    assert find_break() is None
    tamper(notes_path())
    with pytest.raises(CommandError, match="of notes outside the database"):
        call_command("verify_audit")
    note()  # the portal goes on, and no note of it vouches for what somebody else did
    assert "of notes outside the database" in words()
    accept("The disk with the notes was lost.")
    assert find_break() is None
    tamper(notes_path())
    assert "of notes outside the database" in words()


def test_an_acceptance_in_the_database_does_not_excuse_emptied_notes(
    cast: Cast, accept: Accept
) -> None:
    edit(3)
    accept("The first.")
    note()
    empty_notes(notes_path())
    assert find_break() is not None
    run_sql("UPDATE audit_chainhead SET notes=0, notes_hash=''")
    assert "not sealed by this portal" in words()


def put_a_backup_back() -> None:
    """Cut off three records that were noted, and put back the head of before them."""
    old = ChainHead.objects.get()
    note(times=3)
    for _ in range(3):
        cut_the_end()
    old.save()


def test_a_backup_put_back_is_found_and_stays_found(cast: Cast) -> None:
    note()
    put_a_backup_back()
    assert words().endswith("are missing. They were noted outside the database.")
    note(times=5)
    assert "is not the one noted outside the database" in words()


def test_a_backup_put_back_is_accepted_and_the_portal_goes_on(cast: Cast, accept: Accept) -> None:
    note()
    put_a_backup_back()
    accept("The disk broke; restored from the backup of Monday.")
    assert find_break() is None
    note(times=5)  # records get the numbers of those that were lost
    call_command("verify_audit")
    put_a_backup_back()  # the next time it is found again
    assert find_break() is not None


def test_notes_made_before_an_accepted_backup_still_count(cast: Cast, accept: Accept) -> None:
    note()
    first_noted = ChainHead.objects.get().number
    put_a_backup_back()
    accept("Restored.")
    assert first_noted in {one.number for one in read_notes().proven_notes(ChainHead.objects.get())}


def test_a_note_whose_head_was_never_written_is_all_right(cast: Cast) -> None:
    """The process ended between the note and the head that counts it."""
    note()
    before = ChainHead.objects.get()
    note()
    written = len(lines())
    head = ChainHead.objects.get()
    head.notes, head.notes_hash = before.notes, before.notes_hash
    seal_head(head)
    assert find_break() is None
    note()
    assert find_break() is None
    assert ChainHead.objects.get().notes == len(lines()) == written + 1


@pytest.mark.parametrize("what", ["broken_at = NULL", "records = 1000000", "at = '2030-01-01'"])
def test_no_page_believes_a_verification_that_somebody_wrote(cast: Cast, what: str) -> None:
    edit(3)
    verify_audit_chain()
    found = last_verification()
    assert found
    assert found.broken_at == 3
    run_sql(f"UPDATE audit_verification SET {what}, problem = ''")
    assert Verification.objects.exists()
    assert last_verification() is None


def change_key(settings: Settings) -> None:
    settings.DATA_KEY_OLD = [settings.DATA_KEY]
    settings.DATA_KEY = base64.b64encode(b"another key of thirty-two bytes!").decode()
    call_command("rotate_data_key")
    settings.DATA_KEY_OLD = []


def test_everything_is_still_proven_after_a_change_of_the_data_key(
    cast: Cast, accept: Accept, settings: Settings
) -> None:
    edit(3)
    accept("Known.")
    note(times=2)
    before = lines()
    verify_audit_chain()
    change_key(settings)
    assert find_break() is None
    assert last_verification()
    now = lines()
    assert now[: len(before)] == before  # kept where nothing but appending may be allowed
    notes = read_notes()
    assert notes.count_proven(ChainHead.objects.get()) == len(now)
    assert notes.count_proven(ChainHead()) == len(now)  # by the last note alone
    edit(5)
    assert find_break() == 5


def test_a_backup_of_before_is_found_after_a_change_of_the_data_key(
    cast: Cast, settings: Settings
) -> None:
    note()
    change_key(settings)
    put_a_backup_back()
    assert "noted outside the database" in words()


def wipe_records() -> None:
    run_sql("DELETE FROM audit_event")
    run_sql("DELETE FROM audit_chainhead")


def test_wiping_records_and_notes_together_is_found(cast: Cast) -> None:
    """It looks like a new portal, but for the mark in the vault."""
    note(3)
    wipe_records()
    notes_path().write_text("")
    assert words() == "This portal has written records, and none of them is there any more."
    note()
    assert "was not sealed by this portal" in words()


def test_a_new_portal_has_nothing_to_find(db: None) -> None:
    assert find_problems() == []


UNREADABLE_VALUES = [
    "UPDATE audit_event SET team_id='zz' WHERE number=3",
    "UPDATE audit_event SET at='zz' WHERE number=3",
    "UPDATE audit_event SET subject_name=x'ff' WHERE number=3",
]


@pytest.mark.parametrize("tampering", UNREADABLE_VALUES)
def test_a_value_that_cannot_be_read_is_a_finding(cast: Cast, tampering: str) -> None:
    """Before, the walk ended with a trace, and the page went on saying intact."""
    note(3)
    verify_audit_chain()
    run_sql(tampering)
    verify_audit_chain()
    found = last_verification()
    assert found is not None
    assert (found.broken_at, found.problem) == (
        3,
        "What stands after record 2 cannot be read: the portal never wrote it.",
    )
    with pytest.raises(CommandError, match="Put it back from a backup first"):
        call_command("verify_audit", accept="It is fine.")


@pytest.mark.parametrize("value", ["number='zz'", "seal=x'ff'"])
def test_a_head_that_cannot_be_read_is_a_finding(cast: Cast, value: str) -> None:
    note(3)
    run_sql(f"UPDATE audit_chainhead SET {value}")
    assert "was not sealed by this portal" in words()
    record()
    assert "was not sealed by this portal" in words()


@pytest.mark.parametrize(
    "line",
    ['{"at":"","number":Infinity,"hash":""}', "[" * 100_000, '{"at":"","number":1e400,"hash":""}'],
)
def test_no_line_of_notes_stops_the_walk(cast: Cast, accept: Accept, line: str) -> None:
    note(2)
    with notes_path().open("a") as file:
        file.write(f"{line}\n")
    assert "Line 3 of the file of notes" in words()
    note_end_of_chain()
    accept("Somebody wrote into the file.")
    assert find_problems() == []
