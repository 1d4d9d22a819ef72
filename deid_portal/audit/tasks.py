import logging

from deid_portal.audit.verifying import verify_chain
from deid_portal.celery_app import app

logger = logging.getLogger(__name__)


@app.task
def verify_audit_chain() -> None:
    """Sent once a day by the clock process."""
    found = verify_chain()
    if found.broken_at is not None:
        logger.error("The audit chain does not fit at record %s.", found.broken_at)
