"""Notifying people of what happened. Every app may call `tell`, which depends on none of them.

What must never happen: a value of a table in a notice or an e-mail. Callers name the object (run 14
of a dataset) and what happened; the linked page shows the rest to those who may see it.
"""

from collections.abc import Iterable

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from deid_portal.accounts.models import Team, User
from deid_portal.notices.models import Notice, Preference

WORDS_LENGTH = 300


def tell(
    people: Iterable[User],
    words: str,
    *,
    kind: str,
    url: str,
    team: Team,
    asks: bool = False,
    but: User | None = None,
) -> None:
    """Notify each of these people once, in the transaction of the event.

    `but` is the person who caused it. Due mails are found in the database by the process that sends
    them; the caller does not depend on their delivery.
    """
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "A notice belongs into the transaction of what it tells of."
        )
    told = {person.pk: person for person in people if person.is_active and person != but}
    Notice.objects.bulk_create(
        Notice(
            person=person,
            team=team,
            kind=kind,
            words=words[:WORDS_LENGTH],
            url=url,
            asks=asks,
            mail_due=_wants_mail(person, asks),
        )
        for person in told.values()
    )


def _wants_mail(person: User, asks: bool) -> bool:
    if not (settings.MAIL_IS_CONFIGURED and person.email):
        return False
    preference = Preference.objects.filter(person=person).first() or Preference()
    wanted: dict[str, bool] = {Preference.ByMail.ALL: True, Preference.ByMail.ASKS: asks}
    return wanted.get(preference.by_mail, False)


def mark_read(person: User, *, url: str = "") -> int:
    """Mark notices of a person as read: all, or those that link to the opened page."""
    unread = Notice.objects.filter(person=person, read_at=None)
    return (unread.filter(url=url) if url else unread).update(read_at=timezone.now())


def choose_mails(*, person: User, by_mail: str) -> None:
    """Store which notices a person wants by e-mail; a preference leaves no audit record."""
    Preference.objects.update_or_create(
        person=person, defaults={"by_mail": Preference.ByMail(by_mail)}
    )
