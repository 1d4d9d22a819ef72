import logging

from deid_portal.audit.anchors import anchor_chain
from deid_portal.audit.verification import verify_chain
from deid_portal.celery_app import app

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
