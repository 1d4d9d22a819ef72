"""E-mails about notices: what happened and a link, nothing else. Failed mails have no other effect.

Mails have their own process (`send_mails`), because workers may be busy with runs for an hour. A
mail is sent by the process that moved its row from due to tried; if that dies or the mail server
refuses, the row is due again after a while, and given up after some attempts.
"""

import logging
import smtplib
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from deid_portal.notices.models import Notice

MOST_AT_ONCE = 200
MOST_TRIES = 6
# Intervals that allow for a mail server to be down for an hour.
MINUTES_BETWEEN_TRIES = 10
MAIL_ERRORS = (smtplib.SMTPException, OSError)
logger = logging.getLogger(__name__)


def due_notices() -> QuerySet[Notice]:
    limit = timezone.now() - timedelta(minutes=MINUTES_BETWEEN_TRIES)
    is_time = Q(mail_tried_at=None) | Q(mail_tried_at__lt=limit)
    return Notice.objects.filter(is_time, mail_due=True)


def send_due_mails() -> int:
    """Send due mails, the oldest first; return how many were sent."""
    due = due_notices().order_by("at").values_list("id", flat=True)[:MOST_AT_ONCE]
    return sum(mail(str(notice_id)) for notice_id in list(due))


def mail(notice_id: str) -> bool:
    """Send the mail of a notice, unless another worker has just tried; False if it was not sent."""
    now = timezone.now()
    mine = due_notices().filter(id=notice_id)
    if not mine.update(mail_tried_at=now, mail_tries=F("mail_tries") + 1):
        return False
    notice = Notice.objects.select_related("person", "team").get(id=notice_id)
    try:
        compose_email(notice).send()
    except MAIL_ERRORS as error:
        # The error of a mail server can quote addresses, so only its kind is logged.
        logger.warning("A mail could not be sent: %s.", type(error).__name__)
        if notice.mail_tries >= MOST_TRIES:
            Notice.objects.filter(id=notice_id).update(mail_due=False)
        return False
    Notice.objects.filter(id=notice_id).update(mail_due=False)
    return True


def compose_email(notice: Notice) -> EmailMessage:
    address = settings.PORTAL_URL.rstrip("/")
    lines = [
        f"{notice.words}",
        "",
        f"{address}{notice.url}",
        "",
        f"Team: {notice.team.name}. Choose what you get by e-mail:",
        f"{address}{reverse('notices:list')}",
    ]
    # A line break in a subject would start another header.
    subject = " ".join(notice.words.split())
    return EmailMessage(subject, "\n".join(lines), to=[notice.person.email])
