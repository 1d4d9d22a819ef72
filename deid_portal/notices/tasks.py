from deid_portal.celery_app import app
from deid_portal.notices.emails import send_due_mails


@app.task
def mail_due_notices() -> None:
    """Run every few minutes by the scheduler, for portals without a process for mails."""
    send_due_mails()
