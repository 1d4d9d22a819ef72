"""Distortion: how far up its taxonomy a value was raised.

L. Sweeney, Achieving k-anonymity privacy protection using generalization and suppression, 2002.
"""

from collections.abc import Iterable


def distortion_of(level: int, height: int) -> float:
    """Return level / height of one value: 0 is exact, 1 hidden."""
    return level / height if height else 0.0


def count_distortion_units(raised: Iterable[tuple[int, int]]) -> int:
    """Return minimal distortion in units: records × levels, one unit per record and level."""
    return sum(records * levels for records, levels in raised)
