"""Record swapping: people who agree on some columns change places in others, such as the region."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import NOBODY, TableDraft
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.methods.perturbation.unit_pairs import ALONE, Units, pair_units
from deid_portal.engine.parameters import Choice, ColumnName, ColumnNames, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Codes, Counts


@dataclass(frozen=True)
class RecordSwapping(ChangingMethod):
    """Pairs that agree on the columns `match` exchange their cells of `columns`.

    `share` is the share of the people, or of the households, that change places. Those with the
    fewest look-alikes on the quasi-identifiers come first, unless `select` is "random". With a
    column `household` whole households change places, with others that have as many members and
    agree on `match` member by member.
    """

    columns: tuple[str, ...]
    share: float
    match: tuple[str, ...] | None = None
    household: str | None = None
    select: str = "risky"

    name: ClassVar[str] = "record-swapping"
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "Record swapping"
    cites: ClassVar[str] = (
        "T. Dalenius, S. P. Reiss, Data-swapping: a technique for disclosure control, J. Stat. "
        "Planning and Inference 6(1), 1982."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("columns"),
        Parameter(
            "share",
            start=0.05,
            minimum=0.0001,
            maximum=1,
            unusual_below=0.01,
            unusual_above=0.2,
            caution=(
                "A share of {value} is unusual: below 0.01 hardly anybody changes places, above "
                "0.2 relations with the swapped columns are lost."
            ),
        ),
        ColumnNames("match", optional=True),
        ColumnName("household", optional=True),
        Choice("select", ("risky", "random")),
    )

    @classmethod
    def parse(cls, place: Place) -> Self:
        method = super().parse(place)
        if set(method.columns) & set(method.match or ()):
            place["match"].refuse('other columns than those in "columns" are accepted.')
        return method

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns, roles)
        check_known_columns(place["match"], self.match or (), roles)
        if self.household is not None and self.household not in roles:
            place["household"].refuse("the name of a column of the plan is accepted.")

    def explain(self) -> str:
        who = "households" if self.household else "people"
        first = ", those who stand out most first," if self.select == "risky" else ""
        return (
            f"{100 * self.share:g} % of the {who}{first} change places with others like them, so "
            f"that nobody can be sure that a place shown is the right one."
        )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        units = self._units(draft)
        shown = self._number(draft, self.columns, progress).pattern_of_row
        self._check_households(shown, units)
        profiles = _profiles(self._number(draft, self.match or (), progress).pattern_of_row, units)
        order = self._order(draft, units, generator, progress)
        wanted = max(math.floor(Decimal(str(self.share)) * units.count / 2), 1)
        partners = pair_units(order, profiles, shown[units.first], wanted, generator, progress)
        stays = partners == ALONE
        giver = units.first[np.where(stays, np.arange(units.count), partners)][units.of_row]
        columns = (draft.table[name] for name in self.columns)
        swapped = [replace(column, codes=column.codes[giver]) for column in columns]
        return draft.with_columns(*swapped).noting(
            columns=list(self.columns),
            units=units.count,
            pairs=int((~stays).sum()) // 2,
            pairs_wanted=wanted,
            swapped_records=int((~stays)[units.of_row].sum()),
        )

    def _number(self, draft: TableDraft, names: Sequence[str], progress: Progress) -> Patterns:
        return reduce_table(draft.table, names, (), progress)

    def _units(self, draft: TableDraft) -> "_UnitsOfRows":
        """Return who changes places together: members of a household, else each row alone."""
        rows = np.arange(draft.table.rows)
        if self.household is None:
            return _UnitsOfRows(rows, rows)
        if (draft.rows == NOBODY).any():
            raise InvalidPlan("method.household: records that were made up belong to nobody.")
        household = draft.problem.table[self.household]
        whose = household.codes[draft.rows].astype(np.int64)
        if household.gap is not None:
            # A row without a household is one of its own.
            whose = np.where(whose == household.gap, len(household.values) + rows, whose)
        _, first, of_row = np.unique(whose, return_index=True, return_inverse=True)
        return _UnitsOfRows(of_row, first)

    def _check_households(self, shown: Codes, units: "_UnitsOfRows") -> None:
        torn = np.unique(units.of_row[shown != shown[units.first][units.of_row]])
        if len(torn):
            raise InvalidPlan(
                f"method.household: the members of {len(torn)} households differ in the columns "
                f"that change places; choose columns that whole households share."
            )

    def _order(
        self,
        draft: TableDraft,
        units: "_UnitsOfRows",
        generator: np.random.Generator,
        progress: Progress,
    ) -> Units:
        """Return the units in the order they are served: most at risk first, ties at random."""
        order = generator.permutation(units.count)
        if self.select == "random":
            return order
        patterns = self._number(draft, draft.problem.names, progress)
        alike = patterns.counts[patterns.pattern_of_row]
        fewest: Counts = np.full(units.count, draft.table.rows, np.int64)
        np.minimum.at(fewest, units.of_row, alike)
        return order[np.argsort(fewest[order], kind="stable")]


@dataclass(frozen=True, eq=False)
class _UnitsOfRows:
    of_row: NDArray[np.int64]
    first: NDArray[np.int64]  # one row of each unit

    @property
    def count(self) -> int:
        return len(self.first)


def _profiles(matched: Codes, units: _UnitsOfRows) -> Codes:
    """Number the units by the members' cells to be matched, in any order of the members."""
    if units.count == len(matched):
        return matched[units.first]
    order = np.lexsort((matched, units.of_row))
    ends = np.searchsorted(units.of_row[order], np.arange(1, units.count))
    known: dict[bytes, int] = {}
    members = np.split(matched[order], ends)
    return np.array([known.setdefault(own.tobytes(), len(known)) for own in members], np.int32)
