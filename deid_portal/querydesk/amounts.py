"""Budgets are counted in whole millionths of ε, so that sums are exact.

A price is rounded up to millionths, a balance is never rounded. δ is counted in units of 10^-18 in
the same way.
"""

import re
from decimal import ROUND_CEILING, Decimal, InvalidOperation

MICRO = 1_000_000
ATTO = 10**18
# The maximum of an account: a larger sum protects nobody.
MOST_EPSILON = 1000


def micro_of(epsilon: float | Decimal | str) -> int:
    """Return ε in millionths, rounded up; a float is taken as its shortest decimal form."""
    return _whole(epsilon, MICRO)


def epsilon_of(micro: int) -> float:
    """Return the ε of these millionths; `micro_of` is the inverse."""
    return float(Decimal(micro) / MICRO)


def atto_of(delta: float | Decimal | str) -> int:
    return _whole(delta, ATTO)


def delta_of(atto: int) -> float:
    return float(Decimal(atto) / ATTO)


def _whole(amount: float | Decimal | str, unit: int) -> int:
    try:
        return int((Decimal(str(amount)) * unit).to_integral_value(ROUND_CEILING))
    except (InvalidOperation, ValueError, OverflowError):
        raise ValueError("not an amount") from None


def shown(micro: int) -> str:
    """Write an amount of budget with two decimals, or more if they are not zero."""
    written = f"{Decimal(abs(micro)) / MICRO:,.6f}".rstrip("0")
    whole, _, decimals = written.partition(".")
    return f"{'−' if micro < 0 else ''}{whole}.{decimals:0<2}"


def read_typed_number(text: str) -> float | None:
    """Read a number as people type it: 0.5, 0,5 and 1,250 alike; None where it is none."""
    bare = re.sub(r"(?<=\d),(?=\d{3}(\D|$))", "", text.replace("−", "-").replace(" ", ""))
    try:
        return float(bare.replace(",", "."))
    except ValueError:
        return None
