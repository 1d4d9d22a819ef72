"""How numbers, times and long names are written on every page: comma, true minus, fixed space."""

from datetime import datetime

from django import template
from django.utils import timezone

from deid_portal.engine.wording.numbers import (
    NBSP,
    NOTHING,
    loss,
    middle_cut,
    percent,
    read_number,
    thousands,
)

register = template.Library()

for write in (thousands, percent, loss, middle_cut):
    register.filter(write)


@register.filter
def duration_words(value: object) -> str:
    """Seconds as a person would say them: about 6 seconds, about 2 minutes."""
    seconds = read_number(value)
    if seconds is None:
        return NOTHING
    if seconds < 1:
        return "less than a second"
    if seconds < 90:
        whole = round(seconds) if seconds < 10 else 5 * round(seconds / 5)
        return f"about {_counted(whole, 'second')}"
    if seconds < 90 * 60:
        return f"about {_counted(round(seconds / 60), 'minute')}"
    if seconds < 36 * 3600:
        return f"about {_counted(round(seconds / 3600), 'hour')}"
    return f"about {_counted(round(seconds / 86400), 'day')}"


@register.filter
def duration_left(value: object) -> str:
    """The same with "left" behind it; nothing where nothing is known."""
    return "" if read_number(value) is None else f"{duration_words(value)} left"


@register.filter
def briefly_since(value: datetime | None) -> str:
    """How long ago, for a narrow column: now, 5 min, 3 h, 2 days, then the day."""
    if value is None:
        return NOTHING
    minutes = (timezone.now() - value).total_seconds() / 60
    if minutes < 1:
        return "now"
    if minutes < 60:
        return f"{minutes:.0f}{NBSP}min"
    if minutes < 24 * 60:
        return f"{minutes / 60:.0f}{NBSP}h"
    days = round(minutes / 60 / 24)
    if days < 14:
        return f"{days}{NBSP}day" if days == 1 else f"{days}{NBSP}days"
    return f"{timezone.localtime(value):%-d %b %Y}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@register.filter
def filesize_words(value: object) -> str:
    """Bytes in steps of a thousand, as file managers show them: 4.6 MB."""
    size = read_number(value)
    if size is None:
        return NOTHING
    if size < 1000:
        return f"{size:.0f}{NBSP}bytes" if size != 1 else f"1{NBSP}byte"
    for unit in ("KB", "MB", "GB", "TB"):
        size /= 1000
        if size < 999.5 or unit == "TB":
            break
    return (
        f"{size:,.1f}{NBSP}{unit}" if size < 9.95 and unit != "KB" else f"{size:,.0f}{NBSP}{unit}"
    )
