from deid_portal.celery_app import app
from deid_portal.notices.mailing import due_notices, mail

MOST_AT_ONCE = 200


@app.task
def mail_notice(notice_id: str) -> None:
    mail(notice_id)


@app.task
def mail_due_notices() -> None:
    """Sent every few minutes by the clock process: what was lost, or refused by the mail server."""
    for notice_id in due_notices().values_list("id", flat=True)[:MOST_AT_ONCE]:
        mail(str(notice_id))
