"""What a group shows instead of its members' cells, and how much that loses.

The mean of numbers and dates, the median of ordered categories, and of others the one that is
nearest to all. All members show the same, so a gap cannot stay with one of them: by default the
whole group shows a gap then, which loses cells but invents none.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.methods.microaggregation import kernels
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import GAP, NUMBER, Numbers
from deid_portal.engine.methods.microaggregation.space import Attribute, lay_out_records
from deid_portal.engine.table.numbers import number_column
from deid_portal.engine.table.table import Column, Counts
from deid_portal.engine.table.values import ColumnType, find_date_format


@dataclass(frozen=True, eq=False)
class Aggregate:
    """One column after its groups were given one value each."""

    attribute: Attribute
    places: Numbers  # per record, GAP for a gap

    @property
    def blanked(self) -> int:
        """Count the cells that became gaps."""
        return int(np.count_nonzero(~self.attribute.gaps & self._is_gap))

    @property
    def filled(self) -> int:
        """Count the gaps that became cells."""
        return int(np.count_nonzero(self.attribute.gaps & ~self._is_gap))

    @property
    def _is_gap(self) -> NDArray[np.bool_]:
        return np.asarray(self.places == GAP)

    def errors(self) -> tuple[float, float]:
        """Return the squared errors of a column of numbers, and those of its mean alone.

        Only cells that were there count; one that became a gap counts as if it were the mean.
        """
        column = self.attribute.column
        known = ~self.attribute.gaps
        before = self.attribute.places[column.codes][known]
        mean = before.mean() if len(before) else 0.0
        after = np.where(self._is_gap, mean, self.places)[known]
        return float(((before - after) ** 2).sum()), float(((before - mean) ** 2).sum())

    def column(self, decimals: int | None) -> Column:
        """Return the cells that leave."""
        own = self.attribute.column
        if self.attribute.kind != NUMBER:
            return replace(own, codes=self._codes())
        numbers = np.where(self._is_gap, np.nan, self.places)
        if own.type == ColumnType.DATE:
            return _date_column(own, numbers)
        return number_column(own, numbers, decimals)

    def _codes(self) -> NDArray[np.int32]:
        """Return the code of the value at each place."""
        own = self.attribute.column
        values, codes = np.unique(self.attribute.places, return_index=True)
        found = codes[np.searchsorted(values, np.where(self._is_gap, values[0], self.places))]
        if own.gap is not None:
            found[self._is_gap] = own.gap
        return found.astype(np.int32)


def aggregate(attribute: Attribute, groups: Groups, *, fill: bool = False) -> Aggregate:
    """Give every member of a group the same value.

    With `fill` a gap gets the value of the others in its group; without, the others get the gap.
    """
    present = np.bincount(groups.of_record[~attribute.gaps], minlength=groups.count).astype(
        np.int64
    )
    settled = _settle(attribute, groups, present)
    settled[present == 0 if fill else present < groups.sizes] = GAP
    return Aggregate(attribute, settled[groups.of_record])


def _settle(attribute: Attribute, groups: Groups, present: Counts) -> Numbers:
    """Return the common value of each group, from its members that have one."""
    places = attribute.places[attribute.column.codes]
    places[attribute.gaps] = GAP
    if attribute.kind == NUMBER:
        sums = np.bincount(groups.of_record, np.where(attribute.gaps, 0.0, places), groups.count)
        return np.asarray(sums / np.maximum(present, 1))
    space, _ = lay_out_records([attribute])
    order = np.argsort(groups.of_record, kind="stable")
    return kernels.settle_groups(space, 0, places, order, groups.sizes)


def information_loss(aggregates: Iterable[Aggregate]) -> float | None:
    """Return 100 · SSE / SST of the standardized columns of numbers; None if there are none."""
    lost, total = 0.0, 0
    for own in aggregates:
        if own.attribute.kind == NUMBER:
            errors, most = own.errors()
            known = int(np.count_nonzero(~own.attribute.gaps))
            if most > 0:
                lost += known * errors / most
                total += known
    return 100 * lost / total if total else None


def _date_column(like: Column, days: Numbers) -> Column:
    """Write the nearest day of each number in the form of the column."""
    form = find_date_format([text for text in like.values if text is not None]) or "%Y-%m-%d"
    known = np.clip(np.round(days), 1, date.max.toordinal())
    distinct, codes = np.unique(known, return_inverse=True)
    texts = tuple(None if np.isnan(day) else _write_day(int(day), form) for day in distinct)
    return Column(like.name, ColumnType.DATE, codes.astype(np.int32), texts, like.decimal)


def _write_day(day: int, form: str) -> str:
    # strftime writes the year 33 as "33"; the four digits that reading needs are put in by hand.
    moment = datetime.combine(date.fromordinal(day), time())
    return moment.strftime(form.replace("%Y", f"{moment.year:04}"))
