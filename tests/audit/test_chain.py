import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from deid_portal.audit.models import ChainHead, Event
from deid_portal.audit.selectors import find_break
from deid_portal.audit.services import record_event
from deid_portal.datasets.services import tag_columns
from tests import factories
from tests.conftest import Cast


def test_a_chain_of_real_work_is_intact(cast: Cast) -> None:
    factories.make_release(cast.steward, cast.approver, cast.team)
    actions = set(Event.objects.values_list("action", flat=True))
    assert {"dataset.uploaded", "run.finished", "review.approved", "release.created"} <= actions
    assert find_break() is None
    call_command("verify_audit")


def test_a_changed_record_breaks_the_chain(cast: Cast) -> None:
    changed = Event.objects.order_by("number")[2]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE audit_event SET action = 'nothing' WHERE id = %s", [changed.pk])
    assert find_break() == changed.number
    with pytest.raises(CommandError, match="broken at record"):
        call_command("verify_audit")


def test_a_chain_cut_short_is_noticed(cast: Cast) -> None:
    last = Event.objects.first()
    assert last is not None
    Event.objects.filter(pk=last.pk).delete()
    assert find_break() == last.number


def test_a_record_is_never_changed_or_deleted(cast: Cast) -> None:
    event = Event.objects.first()
    assert event is not None
    with pytest.raises(TypeError):
        event.save()
    with pytest.raises(TypeError):
        event.delete()


@pytest.mark.django_db(transaction=True)
def test_a_record_needs_the_transaction_of_its_change() -> None:
    team = factories.make_team()
    with pytest.raises(transaction.TransactionManagementError):
        record_event("team.renamed", actor=None, team=team, subject=team)


def test_a_chain_without_its_head_is_noticed(cast: Cast) -> None:
    ChainHead.objects.all().delete()
    assert find_break() is not None


def test_facts_with_numbers_for_keys_stay_sealed(cast: Cast) -> None:
    """Twelve columns tagged at once: 2 comes before 10 as a number, after it as text."""
    content = ",".join(f"c{number}" for number in range(12)) + "\n" + ",".join("1" * 12) + "\n"
    dataset = factories.make_dataset(cast.steward, cast.team, content.encode())
    roles = dict.fromkeys(range(12), "insensitive")
    tag_columns(dataset=dataset, tagged_by=cast.steward, roles=roles)
    assert find_break() is None
