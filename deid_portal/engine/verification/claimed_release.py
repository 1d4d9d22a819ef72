"""A released table with the report about it, for measuring the table again.

The table is measured as if it were an original without any transformation, so its classes are
those of the release.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.measured import MeasuredTable, measure_recoding
from deid_portal.engine.errors import EngineError
from deid_portal.engine.methods import METHODS
from deid_portal.engine.privacy import MODELS, PrivacyModel, parse_model
from deid_portal.engine.progress import Progress
from deid_portal.engine.report import Report
from deid_portal.engine.report.rules import RuleVerdict
from deid_portal.engine.report.table import ColumnReport
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.recoding import Recoding, Round
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Table
from deid_portal.engine.taxonomies import FlatTaxonomy, Recipe, parse_recipe

ReadFile = Callable[[str], bytes]


@dataclass(frozen=True, eq=False)
class ClaimedRelease:
    """A released table with the report about it; `plan` is empty if it was not published."""

    table: Table
    report: Report
    plan: Mapping[str, Any]
    read_file: ReadFile

    @cached_property
    def roles(self) -> dict[str, str]:
        if self.columns:
            return {name: own.role or "" for name, own in self.columns.items()}
        planned = self.plan.get("columns") or {}
        return {name: own.get("role") or "" for name, own in planned.items()}

    @property
    def columns(self) -> Mapping[str, ColumnReport]:
        return self.report.columns if self.report.tells("columns") else {}

    def names_of(self, role: str) -> list[str]:
        return [name for name in self.table.names if self.roles.get(name) == role]

    @cached_property
    def facts(self) -> list[str]:
        return self.names_of("quasi-identifier")

    @cached_property
    def steps(self) -> list[str]:
        return [step.method for step in self.report.steps]

    @cached_property
    def group_column(self) -> str | None:
        """The column with class numbers, if classes are not defined by equal cells."""
        if not any(METHODS[name].numbers_its_groups for name in self.steps if name in METHODS):
            return None
        made = [name for name in self.table.names if name not in self.roles]
        return made[-1] if made else None

    @property
    def groups(self) -> list[str]:
        """The columns that define classes: quasi-identifiers, or numbers of groups."""
        return [self.group_column] if self.group_column else self.facts

    @property
    def is_of_before(self) -> bool:
        """True for packages of earlier versions, which published figures about the original."""
        return self.report.utility_before is not None

    @property
    def left_out(self) -> int:
        rows = self.report.rows
        return rows.suppressed if rows.tells("suppressed") else 0

    @property
    def rules(self) -> tuple[RuleVerdict, ...]:
        return self.report.models if self.report.tells("models") else ()

    @cached_property
    def look_alikes(self) -> Patterns:
        """The classes of records with equal quasi-identifiers."""
        return reduce_table(self.table, self.facts, (), Progress(None))

    @cached_property
    def models(self) -> list[PrivacyModel | None]:
        """The rules named by the report; None for a rule that cannot be parsed."""
        return [self._parse(entry) for entry in self.rules]

    def _parse(self, entry: RuleVerdict) -> PrivacyModel | None:
        if entry.model in MODELS and MODELS[entry.model].needs_besides:
            return None
        try:
            return parse_model(Place(entry.rule), self.read_file)
        except (EngineError, OSError, KeyError, TypeError):
            return None

    @cached_property
    def measured(self) -> MeasuredTable:
        readable = [model for model in self.models if model is not None]
        counted = [m for m in readable if all(name in self.table for name in m.counted_columns)]
        groups = self.groups
        problem = Problem.pose(
            self.table,
            {name: FlatTaxonomy() for name in groups},
            dict.fromkeys(groups, 1.0),
            counted,
            self._recipes(),
            Progress(None),
        )
        everyone = np.ones(len(problem.patterns.counts), np.bool_)
        return measure_recoding(Recoding(problem, (Round((0,) * len(groups), everyone),)))

    def _recipes(self) -> dict[str, Recipe | None]:
        """The taxonomies of sensitive columns, if the plan was published."""
        found = {name: self.recipe_of(name) for name in self.names_of("sensitive")}
        return {name: recipe for name, recipe in found.items() if recipe is not None}

    def recipe_of(self, name: str) -> Recipe | None:
        """Return the taxonomy of a column; None if it has none, or the plan was not published."""
        planned = self.plan.get("columns", {}).get(name, {})
        if "taxonomy" not in planned:
            return None
        return parse_recipe(Place(planned["taxonomy"]), self.read_file)
