"""The migrations that sealed chains of before seal none that was sealed already.

Whoever can write to the database can take them off its list, so that the next start of the portal
runs them once more; what was forged meanwhile must not be sealed by that.
"""

import pytest
from django.core.management import call_command

from deid_portal.audit.anchors import notes_path
from deid_portal.audit.heads import has_chain_begun
from deid_portal.audit.models import ChainHead
from deid_portal.audit.seals import OF_BEFORE, seal_of
from deid_portal.audit.tasks import verify_audit_chain
from deid_portal.audit.verifying import find_problems
from tests.audit.test_acceptance import note
from tests.audit.test_chain import rewrite_everything_from_an_edit, run_sql
from tests.conftest import Cast


def start_again(first: str) -> None:
    """What every start of the portal does, with migrations from the first on off the list."""
    run_sql("DELETE FROM django_migrations WHERE app = 'audit' AND name >= %s", first)
    call_command("migrate", interactive=False, verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_a_forged_chain_is_not_sealed_by_a_start(cast: Cast) -> None:
    note(5)
    verify_audit_chain()
    assert not find_problems()
    assert has_chain_begun()
    rewrite_everything_from_an_edit()
    notes_path().write_text("")
    run_sql("UPDATE audit_chainhead SET seal = ''")
    for name in ("accepted", "notes", "notes_hash"):
        run_sql(f"ALTER TABLE audit_chainhead DROP COLUMN {name}")
    run_sql("ALTER TABLE audit_verification DROP COLUMN seal")
    start_again("0004")
    assert find_problems()


@pytest.mark.django_db(transaction=True)
def test_an_old_head_is_not_sealed_anew_by_a_start(cast: Cast) -> None:
    """Of a portal that was upgraded, an old backup has a head with the seal of before."""
    note(3)
    head = ChainHead.objects.get()
    old = (head.number, head.hash, seal_of(f"{head.number}:{head.hash}", OF_BEFORE))
    note(4)
    run_sql("DELETE FROM audit_event WHERE number > %s", old[0])
    run_sql(
        "UPDATE audit_chainhead SET number = %s, hash = %s, seal = %s, notes = 0, "
        "notes_hash = '', accepted = ''",
        *old,
    )
    notes_path().write_text("")
    assert find_problems()
    start_again("0006")
    assert find_problems()
