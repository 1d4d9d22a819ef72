"""Formatting of promises on pages."""

import re

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

# "at least 4 others", "at most 1 time in 5", "5 %", "1,508 people": numbers with what they count.
_NUMBER = re.compile(
    r"(?:\b(?:at least|at most|all|every)\s)?\b\d[\d,.]*\d*(?:\s?%|\stimes? in \d+)?"
    r"(?:\s(?:others|people|facts|different values))?",
    re.IGNORECASE,
)


@register.filter
def strong_numbers(text: str) -> SafeString:
    """Make the numbers of a sentence stand out; the sentence itself is escaped first."""
    escaped = str(conditional_escape(text))
    # Digits of entities such as &#x27; are not numbers.
    parts = re.split(r"(&#?\w+;)", escaped)
    marked = [part if part.startswith("&") else _NUMBER.sub(_strong, part) for part in parts]
    return mark_safe("".join(marked))  # noqa: S308 - escaped above, only <strong> was added


def _strong(found: re.Match[str]) -> str:
    words = found[0]
    end = "." if words.endswith(".") else ""
    return f"<strong>{words.removesuffix('.')}</strong>{end}"
