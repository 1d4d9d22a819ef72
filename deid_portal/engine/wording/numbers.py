"""How numbers and long names are written: comma, true minus, fixed space."""

import math

NBSP = "\u00a0"
MINUS = "\u2212"
NOTHING = "–"


def read_number(value: object) -> float | None:
    """The value as a finite number, or None where there is nothing to write."""
    if value is None or value == "":
        return None
    try:
        number = float(str(value))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _with_minus(text: str) -> str:
    """A true minus, and none before zero."""
    if text.startswith("-"):
        bare = text[1:]
        return bare if not bare.strip("0.,") else MINUS + bare
    return text


def thousands(value: object, decimals: int = 0) -> str:
    """1346 is written 1,346."""
    number = read_number(value)
    if number is None:
        return NOTHING
    if isinstance(value, int) and not decimals:
        return _with_minus(f"{value:,}")
    return _with_minus(f"{number:,.{decimals}f}")


def percent(value: object, decimals: int = 1) -> str:
    """The share 0.0449 is written 4.5 %; a little never becomes nothing, nor almost all all."""
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
    """Detail lost, 0 none and 1 all: 0.2696 in full, with two decimals 0.27."""
    number = read_number(value)
    return NOTHING if number is None else _with_minus(f"{number:.{decimals}f}")


def middle_cut(value: object, length: int = 32) -> str:
    """A long name without its middle."""
    text = str(value)
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    head = length - 1 - tail
    return f"{text[:head]}…{text[-tail:]}" if tail else f"{text[:head]}…"


def one_in(chance: float) -> str:
    """Write a chance as "1 in 5"; with a decimal where whole numbers would mislead."""
    if chance <= 0:
        return "none"
    people = math.floor(10 / chance) / 10
    return f"1 in {people:,.0f}" if people >= 10 or people == int(people) else f"1 in {people:.1f}"
