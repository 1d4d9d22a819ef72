"""Tell people what happened. A ground floor: every room may call `tell`, it knows none of them.

What must never happen: a value of a table in a notice or an e-mail. Callers name the thing (run 14
of a dataset) and what became of it; the page behind the link shows the rest to those who may see.
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
    """Tell each of these people once, in the transaction of what they are told about.

    `but` is who did it and knows already. What is due by mail is found in the database by the
    process that sends mails; whether they arrive never matters to the caller.
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
    """Mark what a person was told as read: all of it, or what leads to the page they opened."""
    unread = Notice.objects.filter(person=person, read_at=None)
    return (unread.filter(url=url) if url else unread).update(read_at=timezone.now())


def choose_mails(*, person: User, by_mail: str) -> None:
    """Keep what a person wants by e-mail; a matter of taste leaves no audit record."""
    Preference.objects.update_or_create(
        person=person, defaults={"by_mail": Preference.ByMail(by_mail)}
    )
