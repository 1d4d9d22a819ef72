"""Methods that show every value of a column as another, the same in every row: coarser numbers.

What leaves is then compared with the whole table restated alike: a rule about how values are spread
must not take two prices of the same thousand for different ones in the table and equal ones in the
release.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.methods.method import Method
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.restatement import Restatement
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import Recipe

Restate = Callable[[Column], Restatement]


class RestatingMethod(ChangingMethod):
    """A changing method that decides by the value alone what a cell becomes."""

    @property
    def goes_by_value(self) -> bool:
        """Say whether it does; a kind of it may draw at random instead."""
        return True

    @property
    @abstractmethod
    def restated_columns(self) -> tuple[str, ...]: ...

    @abstractmethod
    def restate(self, column: Column, recipe: Recipe | None) -> Restate:
        """Return what becomes of the values of this column, and of others of its kind.

        What the method reads off a column, such as a bound that a share of the rows reach, is read
        off this one. `recipe` is the taxonomy of the column, if the plan gives it one.
        """

    def notes(self, column: Column, restate: Restate) -> dict[str, Any]:
        """Return figures about a column for the report."""
        return {}

    def check_models(self, place: Place, models: Sequence[PrivacyModel]) -> None:
        """Refuse rules about exact values that nobody would show any more."""
        for model in models:
            for name in self.restated_columns:
                if self.goes_by_value and model.names_values_of(name):
                    place.refuse(
                        f'the rule {model.name} names values of the column "{name}", which this '
                        f"method replaces; leave the column exact or name no values."
                    )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        figures = {}
        for index, name in enumerate(self.restated_columns):
            progress.report(index, len(self.restated_columns), "protect")
            planned = draft.problem.released.get(name)
            column = draft.table[name]
            restate = self.restate(column, None if planned is None else planned.taxonomy)
            figures[name] = self.notes(column, restate)
            draft = draft.restated(name, restate)
        return draft.noting(columns=figures) if any(figures.values()) else draft


def restating_first(methods: Sequence[Method]) -> tuple[RestatingMethod, ...]:
    """Return the methods that restate values by themselves, before any other changes the table."""
    found: list[RestatingMethod] = []
    for method in methods:
        if not isinstance(method, RestatingMethod) or not method.goes_by_value:
            break
        found.append(method)
    return tuple(found)


def restate_column(methods: Sequence[Method], column: Column, recipe: Recipe | None) -> Column:
    """Return a column as the restating methods that come first show it."""
    for method in restating_first(methods):
        if column.name in method.restated_columns:
            column = method.restate(column, recipe)(column).of(column)
    return column


def names_restated(methods: Sequence[Method]) -> Collection[str]:
    """Return the columns that the restating methods which come first change."""
    return {name for method in restating_first(methods) for name in method.restated_columns}
