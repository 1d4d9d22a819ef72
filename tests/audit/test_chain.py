"""Every kind of tampering by somebody who can write to the database is found."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from deid_portal.audit.anchors import read_notes
from deid_portal.audit.hashes import content_hash_of, hash_of
from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.services import record_event
from deid_portal.audit.tasks import note_end_of_chain, verify_audit_chain
from deid_portal.audit.verification import find_problems, last_verification
from deid_portal.datasets.services import tag_columns
from tests import factories
from tests.audit.chain import find_break
from tests.conftest import Cast


def run_sql(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)


def record(words: str = "team.renamed") -> Event:
    with transaction.atomic():
        return record_event(words, actor=None, team=None, subject=None)


def edit(number: int = 3) -> None:
    run_sql("UPDATE audit_event SET action = 'nothing' WHERE number = %s", number)


def edit_time(number: int = 3) -> None:
    run_sql("UPDATE audit_event SET at = '2020-01-01 00:00:00+00:00' WHERE number = %s", number)


def edit_facts(number: int = 3) -> None:
    facts = json.dumps({"role": "x"})
    run_sql("UPDATE audit_event SET facts = %s WHERE number = %s", facts, number)


def edit_person(number: int = 3) -> None:
    run_sql("UPDATE audit_event SET actor_id = (SELECT MIN(id) FROM accounts_user)")


def remove() -> None:
    run_sql("DELETE FROM audit_event WHERE number = 3")


def remove_first() -> None:
    run_sql("DELETE FROM audit_event WHERE number = 1")


def remove_and_close_the_gap() -> None:
    remove()
    for number in range(4, ChainHead.objects.get().number + 1):
        run_sql("UPDATE audit_event SET number = %s WHERE number = %s", number - 1, number)
    run_sql("UPDATE audit_chainhead SET number = number - 1")


def reorder() -> None:
    for number, new in ((3, -1), (4, 3), (-1, 4)):
        run_sql("UPDATE audit_event SET number = %s WHERE number = %s", new, number)


def cut_the_end() -> None:
    run_sql("DELETE FROM audit_event WHERE number = (SELECT MAX(number) FROM audit_event)")


def cut_the_end_and_the_head() -> None:
    cut_the_end()
    last = Event.objects.order_by("-number")[0]
    run_sql("UPDATE audit_chainhead SET number = %s, hash = %s", last.number, last.hash)


def take_the_head_away() -> None:
    run_sql("DELETE FROM audit_chainhead")


def rewrite_everything_from_an_edit() -> None:
    """What somebody does who knows this code: edit, and compute all later hashes anew."""
    edit()
    previous = Event.objects.get(number=2).hash
    for event in Event.objects.filter(number__gte=3).order_by("number"):
        new = {**event.document(), "previous_hash": previous}
        new["content_hash"] = content_hash_of(new)
        new["hash"] = previous = hash_of(new)
        run_sql(
            "UPDATE audit_event SET previous_hash = %s, content_hash = %s, hash = %s"
            " WHERE number = %s",
            *(new[name] for name in ("previous_hash", "content_hash", "hash", "number")),
        )
    run_sql("UPDATE audit_chainhead SET hash = %s", previous)


TAMPERING = [
    edit,
    edit_time,
    edit_facts,
    edit_person,
    remove,
    remove_first,
    remove_and_close_the_gap,
    reorder,
    cut_the_end,
    cut_the_end_and_the_head,
    take_the_head_away,
    rewrite_everything_from_an_edit,
]


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
def test_it_is_found_and_stays_found(tamper: Callable[[], None], cast: Cast) -> None:
    assert find_break() is None
    tamper()
    assert find_break() is not None
    with pytest.raises(CommandError, match="broken at record"):
        call_command("verify_audit")
    record()  # the portal goes on working, and never makes good what somebody else did
    assert find_break() is not None


def test_a_record_beyond_the_head_is_found(cast: Cast) -> None:
    record()
    run_sql("UPDATE audit_chainhead SET number = number - 1")
    assert find_break() is not None


def test_an_old_head_put_back_shows_against_the_notes_outside(cast: Cast) -> None:
    old = ChainHead.objects.get()
    record()
    note_end_of_chain()
    cut_the_end()
    old.save()  # rightly sealed, when it was made
    assert find_problems()[0].words.endswith("They were noted outside the database.")
    record("team.created")  # the place is taken by another record, rightly sealed
    assert "is not the one noted outside" in find_problems()[0].words


def test_an_emptied_record_shows_against_the_notes_outside(cast: Cast) -> None:
    note_end_of_chain()
    run_sql("DELETE FROM audit_event")
    run_sql("DELETE FROM audit_chainhead")
    record()
    assert find_break() == 2


def test_a_chain_of_real_work_is_intact(cast: Cast) -> None:
    factories.make_release(cast.steward, cast.approver, cast.team)
    actions = set(Event.objects.values_list("action", flat=True))
    assert {"dataset.uploaded", "run.finished", "review.approved", "release.created"} <= actions
    verify_audit_chain()
    found = last_verification()
    assert found is not None
    assert (found.broken_at, found.problem) == (None, "")
    assert len(read_notes().anchors) == 1


def test_the_end_written_down_elsewhere_is_recognized(cast: Cast) -> None:
    head = ChainHead.objects.get()
    record()
    call_command("verify_audit", anchor=f"{head.number}:{head.hash}")
    with pytest.raises(CommandError, match="never ended like this"):
        call_command("verify_audit", anchor=f"{head.number}:{'0' * 64}")


def test_records_of_before_contents_were_hashed_apart_still_count(cast: Cast) -> None:
    head = ChainHead.objects.get()
    old = Event(number=head.number + 1, at=Event.objects.all()[0].at, previous_hash=head.hash)
    old.seal()
    old.save()
    run_sql("UPDATE audit_chainhead SET number = %s, hash = %s", old.number, old.hash)
    assert [problem.words for problem in find_problems()] == [
        "The head of the chain was not sealed by this portal."
    ]
    edit(old.number)
    assert find_break() == old.number


def test_a_record_is_never_changed_or_deleted(cast: Cast) -> None:
    event = Event.objects.all()[0]
    for forbidden in (event.save, event.delete, Event.objects.all().delete):
        with pytest.raises(TypeError):
            forbidden()
    with pytest.raises(TypeError):
        Event.objects.update(action="nothing")


@pytest.mark.django_db(transaction=True)
def test_a_record_needs_the_transaction_of_its_change() -> None:
    team = factories.make_team()
    with pytest.raises(transaction.TransactionManagementError):
        record_event("team.renamed", actor=None, team=team, subject=team)


def test_facts_with_numbers_for_keys_stay_sealed(cast: Cast) -> None:
    """Twelve columns tagged at once: 2 comes before 10 as a number, after it as text."""
    content = ",".join(f"c{number}" for number in range(12)) + "\n" + ",".join("1" * 12) + "\n"
    dataset = factories.make_dataset(cast.steward, cast.team, content.encode())
    roles = dict.fromkeys(range(12), "insensitive")
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles=roles)
    assert find_break() is None
