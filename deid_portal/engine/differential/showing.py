"""Numbers as people read them; made of noisy numbers, so nothing here costs anything."""

from collections.abc import Sequence
from math import floor, log10

from deid_portal.engine.differential.domains import plain_number


def rounded(number: float, width: float) -> float | int:
    """Return a number without the digits that are noise: to a hundredth of its half width."""
    if width <= 0:
        return plain_number(number)
    digits = 2 - floor(log10(width))
    return plain_number(round(number, digits) + 0.0)


def interval_around(
    number: float, width: float, low: float = float("-inf"), high: float = float("inf")
) -> list[float | int]:
    """Return the interval, within what is possible at all."""
    ends = (number - width, number + width)
    return [rounded(min(max(end, low), high), width) for end in ends]


def percent_words(confidence: float) -> str:
    return f"{100 * confidence:.4g} %"


def join(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))
