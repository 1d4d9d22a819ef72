"""A sensitive column of the whole table, which classes are compared with."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.table.table import Codes, Column, Counts
from deid_portal.engine.table.values import ColumnType, find_date_format, parse_date, parse_number
from deid_portal.engine.taxonomies import Recipe
from deid_portal.engine.taxonomies.label_order import order_of_labels

Shares = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SensitiveColumn:
    """A sensitive column before anything is suppressed, with the recipe of its taxonomy.

    Its dictionary may hold values a method made up; `shown` counts what the release shows of each.
    """

    column: Column
    recipe: Recipe | None = None
    shown: Counts | None = None

    @cached_property
    def shares(self) -> Shares:
        """Return the share of records per value."""
        return self.column.counts / max(len(self.column.codes), 1)

    @cached_property
    def ranks(self) -> Codes:
        """Return the place of each value that occurs, in order: 0 is the lowest.

        Numbers and dates are ordered by size, ranges of numbers by where they begin, anything
        else by its text; the gap comes first.
        """
        order = [code for _, code in sorted(self._sort_keys())]
        ranks = np.zeros(len(self.column.values), np.int32)
        ranks[order] = np.arange(len(order), dtype=np.int32)
        return ranks

    @cached_property
    def numbers(self) -> Shares:
        """Return each value as a number; a gap, or a value that is none, is not a number."""
        read = (self._read_number(text) for text in self.column.values)
        return np.fromiter(read, np.float64, len(self.column.values))

    def codes_of(self, values: Collection[str | None] | None) -> Codes:
        """Return the codes of these values, of all values for None; others are left out."""
        known = {text: code for code, text in enumerate(self.column.values)}
        chosen = known if values is None else [value for value in values if value in known]
        return np.array([known[value] for value in chosen], np.int32)

    @cached_property
    def shares_up_to(self) -> Shares:
        """Return, in order of rank, the share of records at that value or below."""
        present = self._occurring
        counts = np.zeros(len(present), np.int64)
        counts[self.ranks[present]] = self.column.counts[present]
        return np.cumsum(counts) / max(len(self.column.codes), 1)

    @cached_property
    def groupings(self) -> list[Codes]:
        """Return the label of each value, level by level from the value itself up to the root.

        The root holds everybody and is left out. A taxonomy with several tops is read as if they
        stood under one root.
        """
        if self.recipe is None:
            return [np.arange(len(self.column.values), dtype=np.int32)]
        taxonomy = self.recipe.build(self.column)
        levels = taxonomy.codes[:-1] if len(taxonomy.labels[-1]) == 1 else taxonomy.codes
        own = len(self.column.values)
        return [np.ascontiguousarray(codes[:own]) for codes in levels]

    @property
    def _occurring(self) -> NDArray[np.intp]:
        """Return the codes of the values that occur, in the table or in what is shown of it."""
        counts = self.column.counts
        return np.flatnonzero(counts if self.shown is None else counts + self.shown)

    def _read_number(self, text: str | None) -> float:
        if text is None or self.column.type not in (ColumnType.INTEGER, ColumnType.NUMBER):
            return float("nan")
        return float(parse_number(text, decimal=self.column.decimal))

    def _sort_keys(self) -> Iterator[tuple[tuple[bool, Any], int]]:
        """Return, for each value that occurs, what it is sorted by and its code."""
        values = self.column.values
        match self.column.type:
            case ColumnType.INTEGER | ColumnType.NUMBER:
                read: Callable[[str], Any] = partial(parse_number, decimal=self.column.decimal)
            case ColumnType.DATE:
                form = find_date_format([text for text in values if text is not None])
                read = partial(parse_date, form=form or "")
            case _:
                known = order_of_labels(values[code] for code in self._occurring.tolist())
                read = str if known is None else known.__getitem__
        for code in self._occurring.tolist():
            text = values[code]
            yield (text is not None, 0 if text is None else read(text)), code
