"""How numbers, times and long names are written on every page: comma, true minus, fixed space."""

import math
from datetime import datetime

from django import template
from django.utils import timezone

register = template.Library()

NBSP = "\u00a0"
MINUS = "\u2212"
NOTHING = "–"


def _number(value: object) -> float | None:
    """The value as a finite number, or None where there is nothing to write."""
    if value is None or value == "":
        return None
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _written(text: str) -> str:
    """A true minus, and none before zero."""
    if text.startswith("-"):
        bare = text[1:]
        return bare if not bare.strip("0.,") else MINUS + bare
    return text


@register.filter
def thousands(value: object, decimals: int = 0) -> str:
    """1346 is written 1,346."""
    number = _number(value)
    if number is None:
        return NOTHING
    if isinstance(value, int) and not decimals:
        return _written(f"{value:,}")
    return _written(f"{number:,.{decimals}f}")


@register.filter
def percent(value: object, decimals: int = 1) -> str:
    """The share 0.0449 is written 4.5 %; a little never becomes nothing, nor almost all all."""
    number = _number(value)
    if number is None:
        return NOTHING
    smallest = 10.0**-decimals
    share = number * 100
    shown = round(share, decimals)
    if shown == 0 and share > 0:
        return f"<{NBSP}{smallest:.{decimals}f}{NBSP}%"
    if shown == 100 and share < 100:
        return f">{NBSP}{100 - smallest:.{decimals}f}{NBSP}%"
    text = f"{shown:,.{decimals}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{_written(text)}{NBSP}%"


@register.filter
def loss(value: object, decimals: int = 4) -> str:
    """Detail lost, 0 none and 1 all: 0.2696 in full, `loss:2` for 0.27."""
    number = _number(value)
    return NOTHING if number is None else _written(f"{number:.{decimals}f}")


@register.filter
def duration_words(value: object) -> str:
    """Seconds as a person would say them: about 6 seconds, about 2 minutes."""
    seconds = _number(value)
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
    return "" if _number(value) is None else f"{duration_words(value)} left"


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
    size = _number(value)
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


@register.filter
def middle_cut(value: object, length: int = 32) -> str:
    """A long name without its middle; the page keeps the full name in `title`."""
    text = str(value)
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    head = length - 1 - tail
    return f"{text[:head]}…{text[-tail:]}" if tail else f"{text[:head]}…"
