"""The rows a question is about: those kept of each person, of which those that fit its conditions.

Where a person may have several rows, a few are kept. They are chosen by their cells in the columns
a question uses, not by their position: neighboring tables need not agree in their order, and a
choice by position could change for everybody when one person is added or removed. The rows of each
person are chosen independently, so one person changes at most that many kept rows. They are ordered
by a hash, because the order of cells would favor small numbers. A row that names no person is left
out: it could belong to anyone, any number of times.
"""

from collections.abc import Collection
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.differential.selection.conditions import Condition, Mask
from deid_portal.engine.differential.selection.domains import Indices
from deid_portal.engine.differential.setting import PersonUnit, PrivacySetting
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Column, Table

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """A table with the rows that take part; everything is computed over all of its rows."""

    table: Table
    setting: PrivacySetting
    chosen: Mask

    @classmethod
    def choose(
        cls,
        table: Table,
        setting: PrivacySetting,
        where: tuple[Condition, ...],
        columns: Collection[str] | None = None,
    ) -> "SelectedRows":
        """Choose rows by these columns, or by all; other columns then make no difference."""
        chosen = np.ones(table.rows, np.bool_)
        if setting.person is not None:
            chosen &= keep_some_of_each(table, setting.person, columns or table.names)
        for condition in where:
            chosen &= condition.holds(table[condition.column], setting)
        return cls(table, setting, chosen)

    def numbers(self, column: str) -> Numbers:
        """Return the clamped numbers of a column, NaN where the row does not take part."""
        numbers = self.setting.bounds_of(column).numbers_of(self.table[column])
        return np.where(self.chosen, numbers, np.nan)

    def places(self, column: str) -> Indices:
        """Return the places of declared values, LEFT_OUT where the row does not take part."""
        places = self.setting.values_of(column).places_of(self.table[column])
        return np.where(self.chosen, places, -1)


def keep_some_of_each(table: Table, person: PersonUnit, columns: Collection[str]) -> Mask:
    """Keep at most so many rows of each person, none of those that name no person."""
    people = table[person.column]
    order = np.lexsort((_hash_rows(table, columns), people.codes))
    codes = people.codes[order]
    starts = np.searchsorted(codes, codes, side="left")
    kept = np.zeros(table.rows, np.bool_)
    kept[order] = np.arange(len(order)) - starts < person.rows
    if people.gap is not None:
        kept &= people.codes != people.gap
    return kept


def _hash_rows(table: Table, columns: Collection[str]) -> Hashes:
    """Return a hash per row of its cells in these columns."""
    mixed = np.zeros(table.rows, np.uint64)
    for name in sorted(columns):
        mixed = _stir(mixed + _hash_values(table[name])[table[name].codes])
    return mixed


def _stir(numbers: Hashes) -> Hashes:
    """Mix the bits of numbers, so that sums do not preserve their order.

    D. Stafford's thirteenth mix of 64 bits, which SplitMix64 uses.
    """
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(numbers ^ (numbers >> np.uint64(31)), np.uint64)


def _hash_values(column: Column) -> Hashes:
    texts = (repr((column.name, text)) for text in column.values)
    found = [int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) for text in texts]
    return np.array(found or [0], np.uint64)
