from django.db import transaction

from deid_portal.accounts.models import Team, User
from deid_portal.audit.chain_check import open_check
from deid_portal.audit.models import ChainCheck
from deid_portal.audit.services import record_event
from deid_portal.audit.tasks import check_chain
from deid_portal.audit_trail.permissions import check_may_verify
from deid_portal.work.leases import queue


@transaction.atomic
def ask_for_verification(*, team: Team, asked_by: User) -> ChainCheck:
    """Queue a verification of the whole chain; while one is under way, that one is the answer."""
    check_may_verify(asked_by, team)
    under_way = open_check()
    if under_way is not None:
        return under_way
    check = ChainCheck.objects.create(asked_by=asked_by)
    record_event("audit.verification_asked", actor=asked_by, team=team, subject=None)
    queue(check, check_chain)
    return check
