"""Who would pay: how many people of each group an estimate leaves out.

Groups are the values of a quasi-identifier. Rare values are not listed, since they identify people.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine import Column
from deid_portal.engine.search.check import Check
from deid_portal.engine.wording.numbers import middle_cut, percent

SMALLEST_GROUP = 5  # people
NAME_LENGTH = 28


@dataclass(frozen=True)
class GroupBurden:
    """The burden of one group; numbers of people are those of the whole table."""

    column: str
    value: str
    people: int
    left_out: int

    @property
    def share(self) -> float:
        return self.left_out / max(self.people, 1)

    @property
    def name(self) -> str:
        column = middle_cut(self.column, NAME_LENGTH)
        return f"{column} “{middle_cut(self.value, NAME_LENGTH)}”"

    @property
    def sentence(self) -> str:
        if self.left_out == self.people:
            return f"All {self.people:,} people with {self.name} would be left out."
        told = "Half" if round(100 * self.share) == 50 else percent(self.share, 0)
        return f"{told} of the {self.people:,} people with {self.name} would be left out."


def burdens_of(
    check: Check, columns: Sequence[Column], counts: NDArray[np.int64], all_rows: int
) -> tuple[GroupBurden, ...]:
    """Return the groups with a higher share than every larger group, the largest group first.

    `columns` hold one row per pattern, `counts` how many records have it.
    """
    hidden = check.grouped.spread(check.suppressed_classes)
    scale = all_rows / max(int(counts.sum()), 1)
    found = [
        GroupBurden(
            column.name, str(column.values[code]), round(scale * people), round(scale * lost)
        )
        for column in columns
        for code, people, lost in _groups(column, counts, hidden)
        if scale * people >= SMALLEST_GROUP and column.values[code] is not None
    ]
    found.sort(key=lambda own: (-own.people, -own.left_out, own.column))
    telling, most = [], 0.0
    for burden in found:
        if burden.share > most:
            telling.append(burden)
            most = burden.share
    return tuple(telling)


def _groups(
    column: Column, counts: NDArray[np.int64], hidden: NDArray[np.bool_]
) -> list[tuple[int, int, int]]:
    people = np.bincount(column.codes, counts, len(column.values))
    lost = np.bincount(column.codes, counts * hidden, len(column.values))
    return [(int(code), int(people[code]), int(lost[code])) for code in np.flatnonzero(lost)]


def worst_of(burdens: Sequence[GroupBurden], at_least: int) -> GroupBurden | None:
    """Return the group with the highest share, of those with at least so many people."""
    large = [burden for burden in burdens if burden.people >= at_least]
    return max(large, key=lambda own: own.share, default=None)
