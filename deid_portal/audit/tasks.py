import logging

from deid_portal.audit.anchors import anchor_chain
from deid_portal.audit.chain_check import give_up_check, perform_check
from deid_portal.audit.heads import read_head
from deid_portal.audit.models import ChainCheck
from deid_portal.audit.verification import verify_chain
from deid_portal.celery_app import app
from deid_portal.work.leases import claim, pick_up_forgotten
from deid_portal.work.sweep import in_every_sweep

logger = logging.getLogger(__name__)


@app.task
def verify_audit_chain() -> None:
    """Run every few hours by the scheduler."""
    found = verify_chain()
    if found.broken_at is not None:
        logger.error("The audit chain does not fit at record %s.", found.broken_at)


@app.task
def note_end_of_chain() -> None:
    """Run every few minutes by the scheduler."""
    anchor_chain()


@app.task
def check_chain(check_id: str) -> None:
    """Verify the chain because somebody asked for it."""
    lease = claim(ChainCheck, check_id)
    if lease is not None:
        perform_check(lease, records=read_head().number)


@in_every_sweep
def pick_up_forgotten_checks() -> None:
    pick_up_forgotten(ChainCheck, check_chain, give_up_check)
