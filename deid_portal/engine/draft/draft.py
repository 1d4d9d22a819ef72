"""The table on its way from what came in to what leaves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.privacy import SensitiveColumn, WholeTable
from deid_portal.engine.progress import Progress
from deid_portal.engine.report.transformation import LabelCount
from deid_portal.engine.search.incumbent import SearchResult
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.recoding import Recoding
from deid_portal.engine.table.restatement import Restatement
from deid_portal.engine.table.table import Codes, Column, Table

NOBODY = -1  # the original row of a made-up record


@dataclass(frozen=True, eq=False)
class Search:
    """What a method that chooses levels found, and on which table."""

    problem: Problem
    found: SearchResult
    metric: str
    seconds: float


@dataclass(frozen=True, eq=False)
class TableDraft:
    """Columns as they would leave, and where each record comes from.

    Methods hand it on to each other; identifiers are still in it and leave at the very end.
    """

    problem: Problem  # of the table as it came
    table: Table  # kept rows only
    rows: Codes  # original row of each kept row, NOBODY for one that was made up
    groups: Codes | None = None  # class of each kept row, if not defined by equal cells
    drawn: NDArray[np.bool_] | None = None  # original rows in the sample; None: no sampling
    steps: tuple[Mapping[str, Any], ...] = ()  # what each method did, without a single cell
    # Labels in use, where levels are mixed.
    cuts: Mapping[str, tuple[LabelCount, ...]] = field(default_factory=dict)
    search: Search | None = None
    recoding: Recoding | None = None  # the only change made so far, if it is a recoding
    # Columns of the whole table with their values shown as the draft shows them.
    whole_restated: Mapping[str, SensitiveColumn] = field(default_factory=dict)

    @classmethod
    def start(cls, problem: Problem) -> "TableDraft":
        return cls(problem, problem.table, np.arange(problem.rows, dtype=np.int32))

    @property
    def is_untouched(self) -> bool:
        return self.table is self.problem.table

    def pose(self, progress: Progress | None = None) -> Problem:
        """Return the problem of the table as it stands now."""
        if self.is_untouched:
            return self.problem
        for name, recipe in zip(self.problem.names, self.problem.recipes, strict=True):
            missing = recipe.uncovered(self.table[name])
            if missing:
                raise InvalidPlan(
                    f"columns.{name}.taxonomy: {len(missing)} values that an earlier method made "
                    f"are not covered; give each a place in the taxonomy or change the order of "
                    f"the methods."
                )
        return self.problem.for_table(self.table, progress or Progress(None))

    def with_columns(self, *columns: Column) -> "TableDraft":
        """Return the draft with columns replaced by those of the same name, new ones at the end."""
        changed = {column.name: column for column in columns}
        own = [changed.pop(column.name, column) for column in self.table.columns]
        table = Table((*own, *changed.values()), self.table.source_sha256)
        return replace(self, table=table, recoding=None)

    def restated(self, name: str, restate: Callable[[Column], Restatement]) -> "TableDraft":
        """Return the draft with the values of a column shown as others, in every row alike.

        Rules compare what leaves with the whole table, so there the values become the same.
        """
        column = self.table[name]
        draft = self.with_columns(restate(column).of(column))
        secret = self.whole_restated.get(name) or self._whole_column(name)
        own = replace(secret, column=restate(secret.column).of(secret.column))
        return replace(draft, whole_restated={**self.whole_restated, name: own})

    def _whole_column(self, name: str) -> SensitiveColumn:
        known = self.problem.whole.sensitive.get(name)
        return known or SensitiveColumn(self.problem.table[name])

    @property
    def whole(self) -> WholeTable:
        """Return the whole table that rules compare the draft with."""
        whole = self.problem.whole
        counted = {
            name: self.whole_restated.get(name, own) for name, own in whole.sensitive.items()
        }
        return replace(whole, sensitive=counted)

    def keep(self, kept: NDArray[np.bool_]) -> "TableDraft":
        """Return the draft with the chosen rows only."""
        if kept.all():
            return self
        rows = np.flatnonzero(kept)
        columns = tuple(column.take(rows) for column in self.table.columns)
        return replace(
            self,
            table=Table(columns, self.table.source_sha256),
            rows=self.rows[rows],
            groups=None if self.groups is None else self.groups[rows],
            recoding=None,
        )

    def draw(self, kept: NDArray[np.bool_]) -> "TableDraft":
        """Return a sample of the draft; rows not drawn do not count as suppressed."""
        drawn = np.zeros(self.problem.rows, np.bool_)
        drawn[self.rows[kept]] = True
        return replace(self.keep(kept), drawn=drawn)

    def noting(self, **figures: Any) -> "TableDraft":
        """Return the draft with an entry about the present step; `method` names it."""
        return replace(self, steps=(*self.steps, figures))

    def with_step(self, place: int, figures: Mapping[str, Any]) -> "TableDraft":
        """Return the draft with one entry in place of all entries from this place on."""
        return replace(self, steps=(*self.steps[:place], figures))

    def recoded(self, search: Search) -> "TableDraft":
        """Return the draft shown at the levels a search found; without rows if it found none."""
        recoding = _recoding_of(search)
        if recoding is None:
            return replace(self.keep(np.zeros(self.table.rows, np.bool_)), search=search)
        shown = recoding.shown[recoding.problem.patterns.pattern_of_row]
        columns = [recoding.show(name) for name in recoding.problem.names]
        draft = self.with_columns(*columns).keep(shown)
        only = recoding if self.is_untouched else None
        return replace(draft, search=search, recoding=only)


def _recoding_of(search: Search) -> Recoding | None:
    found = search.found
    if found.best is None:
        return None
    return found.recoding or Recoding.of_check(search.problem, found.best)
