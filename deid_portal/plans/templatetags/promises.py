"""Formatting of promises on pages."""

import re
from collections.abc import Iterable

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

# "at least 4 others", "at most 1 time in 5", "5 %", "1,508 people": numbers with what they count.
_NUMBER = re.compile(
    r"(?:\b(?:at least|at most|all|every)\s)?"
    r"(?<![\w–-])\d[\d,.]*\d*(?![\w–-])(?:\s?%|\stimes? in \d+)?"
    r"(?:\s(?:others|people|facts|different values))?",
    re.IGNORECASE,
)


@register.filter
def strong_numbers(text: str, names: Iterable[str] = ()) -> SafeString:
    """Make the numbers of a sentence stand out; the sentence itself is escaped first.

    Digits inside `names`, such as those of columns, are part of a name and no numbers.
    """
    escaped = str(conditional_escape(text))
    # Nor are the digits of entities such as &#x27;.
    kept = [r"&#?\w+;", *(re.escape(str(conditional_escape(name))) for name in _with_digits(names))]
    parts = re.split(f"({'|'.join(kept)})", escaped)
    marked = [part if place % 2 else _NUMBER.sub(_strong, part) for place, part in enumerate(parts)]
    return mark_safe("".join(marked))  # noqa: S308 - escaped above, only <strong> was added


def _with_digits(names: Iterable[str]) -> list[str]:
    """Return the names that hold digits, the longest first; one of digits alone is no name here."""
    found = [name for name in names if re.search(r"\d", name) and not name.isdecimal()]
    return sorted(found, key=len, reverse=True)


def _strong(found: re.Match[str]) -> str:
    words = found[0]
    end = "." if words.endswith(".") else ""
    return f"<strong>{words.removesuffix('.')}</strong>{end}"
