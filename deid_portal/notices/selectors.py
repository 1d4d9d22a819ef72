from django.db.models import QuerySet

from deid_portal.accounts.models import User
from deid_portal.accounts.selectors import teams_of
from deid_portal.notices.models import Notice, Preference

MOST_UNREAD = 100


def notices_of(user: User) -> QuerySet[Notice]:
    """Return the notices of a person, without those of teams they have left."""
    return Notice.objects.filter(person=user, team__in=teams_of(user)).select_related("team")


def unread_of(user: User) -> list[Notice]:
    return list(notices_of(user).filter(read_at=None)[:MOST_UNREAD])


def preference_of(user: User) -> Preference:
    return Preference.objects.filter(person=user).first() or Preference(person=user)
