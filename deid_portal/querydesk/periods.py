"""The refill times of accounts."""

from datetime import UTC, datetime

from django.utils import timezone

from deid_portal.querydesk.models import Desk, Period, Terms

FOR_EVER = datetime(1970, 1, 1, tzinfo=UTC)
MONTHS = {Period.MONTH: 1, Period.QUARTER: 3, Period.YEAR: 12}


def began_at(desk: Desk, now: datetime | None = None) -> datetime:
    """Return the time since which spending counts against the accounts.

    New terms do not refill accounts: in the calendar period in which they came into force, spending
    under the terms before still counts.
    """
    moment = now or timezone.now()
    earliest = moment
    for terms in desk.terms.all():
        earliest = min(earliest, _calendar_start(terms.period, moment))
        if terms.set_at < earliest:
            break
        moment = terms.set_at
    return earliest


def refills_at(terms: Terms, now: datetime | None = None) -> datetime | None:
    """Return when the accounts are filled again; None where that never happens."""
    months = MONTHS.get(Period(terms.period))
    if months is None:
        return None
    start = timezone.localtime(_calendar_start(terms.period, now or timezone.now()))
    years, month = divmod(start.month - 1 + months, 12)
    return start.replace(year=start.year + years, month=month + 1)


def _calendar_start(period: str, moment: datetime) -> datetime:
    months = MONTHS.get(Period(period))
    if months is None:
        return FOR_EVER
    day = timezone.localtime(moment).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return day.replace(month=(day.month - 1) // months * months + 1)
