"""Noisy numbers in readable form: post-processing, which costs no privacy."""

from collections.abc import Sequence
from decimal import ROUND_CEILING, Decimal
from math import floor, log10

from deid_portal.engine.differential.selection.domains import plain_number


def rounded(number: float, width: float) -> float | int:
    """Return a number without the digits that are noise: to a hundredth of its half width."""
    if width <= 0:
        return plain_number(number)
    return plain_number(round(number, _digits(width)) + 0.0)


def rounded_outwards(low: float, high: float, width: float) -> list[float | int]:
    """Return the ends of an interval rounded as well, outwards, so that its confidence holds."""
    shown = rounded(low, width), rounded(high, width)
    unit = 10.0 ** -_digits(width) if width > 0 else 0.0
    return [
        rounded(shown[0] - unit, width) if shown[0] > low else shown[0],
        rounded(shown[1] + unit, width) if shown[1] < high else shown[1],
    ]


def _digits(width: float) -> int:
    return 2 - floor(log10(width))


def interval_around(
    number: float, width: float, low: float = float("-inf"), high: float = float("inf")
) -> list[float | int]:
    """Return the interval, cut to the possible range."""
    below, above = (min(max(end, low), high) for end in (number - width, number + width))
    return rounded_outwards(below, above, width)


def width_words(width: float) -> str:
    """Write a half width with three digits, rounded up, no exponent: 53,900, 0.0725, 3."""
    if width <= 0:
        return "0"
    digits = _digits(width)
    unit = Decimal(1).scaleb(-digits)
    # What floats add in their last digits is no reason to round up.
    above = (Decimal(f"{width:.12g}") / unit).to_integral_value(ROUND_CEILING) * unit
    text = f"{above:,.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def factor_words(factor: float) -> str:
    """Write what something multiplies by, with two digits of its distance from 1: 1.65, 0.997."""
    apart = abs(factor - 1)
    if apart < 1e-6:
        return "1"
    if factor >= 10:
        return f"{factor:,.0f}" if factor < 1e6 else f"{factor:.2g}"
    digits = max(1 - floor(log10(min(apart, factor))), 1)
    return f"{factor:.{min(digits, 6)}f}".rstrip("0").rstrip(".")


def percent_words(confidence: float) -> str:
    return f"{100 * confidence:.4g} %"


def join(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))
