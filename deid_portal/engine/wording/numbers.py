"""Format numbers and long names: thousands comma, minus sign, no-break space."""

import math

NBSP = "\u00a0"
MINUS = "\u2212"
NOTHING = "–"


def read_number(value: object) -> float | None:
    """Return the value as a finite number, or None if it is none."""
    if value is None or value == "":
        return None
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _with_minus(text: str) -> str:
    """Use the minus sign instead of a hyphen, and none before zero."""
    if text.startswith("-"):
        bare = text[1:]
        return bare if not bare.strip("0.,") else MINUS + bare
    return text


def thousands(value: object, decimals: int = 0) -> str:
    """Write 1346 as 1,346."""
    number = read_number(value)
    if number is None:
        return NOTHING
    if isinstance(value, int) and not decimals:
        return _with_minus(f"{value:,}")
    return _with_minus(f"{number:,.{decimals}f}")


def percent(value: object, decimals: int = 1) -> str:
    """Write the share 0.0449 as 4.5 %; rounding never gives 0 % or 100 % unless exact."""
    number = read_number(value)
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
    return f"{_with_minus(text)}{NBSP}%"


def loss(value: object, decimals: int = 4) -> str:
    """Write information loss, between 0 and 1: 0.2696, or 0.27 with two decimals."""
    number = read_number(value)
    return NOTHING if number is None else _with_minus(f"{number:.{decimals}f}")


def middle_cut(value: object, length: int = 32) -> str:
    """Shorten a long name by cutting out its middle."""
    text = str(value)
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    head = length - 1 - tail
    return f"{text[:head]}…{text[-tail:]}" if tail else f"{text[:head]}…"


def one_in(chance: float) -> str:
    """Write a probability as "1 in 5", with a decimal if whole numbers would mislead."""
    if chance <= 0:
        return "none"
    people = math.floor(10 / chance) / 10
    return f"1 in {people:,.0f}" if people >= 10 or people == int(people) else f"1 in {people:.1f}"
