"""Coarsening: sensitive values shown at a level of their taxonomy, the same level in every row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from deid_portal.engine.documents import Place, quoted
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.restating_method import Restate, RestatingMethod
from deid_portal.engine.parameters import Declared, LevelsByColumn
from deid_portal.engine.privacy import PrivacyModel
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.restatement import Restatement
from deid_portal.engine.table.table import Column
from deid_portal.engine.taxonomies import Recipe
from deid_portal.engine.taxonomies.label_order import order_of_labels


@dataclass(frozen=True)
class Coarsening(RestatingMethod):
    """Every value of some sensitive columns is shown as its label at a level of the taxonomy.

    Quasi-identifiers get their levels from the methods that search for them.
    """

    levels: Mapping[str, int] = field(default_factory=dict)

    name: ClassVar[str] = "coarsening"
    title: ClassVar[str] = "Coarser sensitive values"
    cites: ClassVar[str] = (
        "L. Sweeney, Achieving k-anonymity privacy protection using generalization and "
        "suppression, IJUFKS 10(5), 2002."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (LevelsByColumn(of_sensitive=True),)

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        sensitive = [name for name, role in roles.items() if role == "sensitive"]
        if not self.levels:
            place["levels"].refuse("a level for at least one sensitive column is needed.")
        if not all(name in sensitive for name in self.levels):
            place["levels"].refuse(
                f"the names of sensitive columns are accepted; the plan has {quoted(sensitive)}."
            )

    def check_models(self, place: Place, models: Sequence[PrivacyModel]) -> None:
        super().check_models(place, models)
        for name in (name for name, level in self.levels.items() if level):
            for model in models:
                if name in model.counted_columns:
                    _check_model(place["levels"][name], model)

    def check_problem(self, place: Place, problem: Problem) -> None:
        for name, level in self.levels.items():
            here = place["levels"][name]
            recipe = problem.released[name].taxonomy
            if recipe is None:
                here.refuse(f'the column "{name}" has no taxonomy; give it one first.')
            taxonomy = recipe.build(problem.table[name])
            if level > taxonomy.height:
                here.refuse(f"the taxonomy of this column has levels 0 to {taxonomy.height}.")
            needy = [
                model.name
                for model in problem.models
                if model.needs_order and name in model.counted_columns
            ]
            if needy and level and order_of_labels(taxonomy.labels[level]) is None:
                here.refuse(
                    f"the rule {needy[0]} needs an order, and these groups are no ranges; choose "
                    f"another distance."
                )

    def explain(self) -> str:
        return (
            "The sensitive columns you name are shown as groups of their taxonomy, so that an "
            "exact value neither gives a person away nor is learned."
        )

    @property
    def levels_of_sensitive(self) -> Mapping[str, int]:
        return self.levels

    @property
    def restated_columns(self) -> tuple[str, ...]:
        return tuple(self.levels)

    def restate(self, column: Column, recipe: Recipe | None) -> Restate:
        level = self.levels[column.name]

        def show(own: Column) -> Restatement:
            if recipe is None:
                raise InvalidPlan(f'The column "{own.name}" has no taxonomy.')
            taxonomy = recipe.build(own)
            at = min(level, taxonomy.height)
            labels = [taxonomy.labels[at][code] for code in taxonomy.codes[at]]
            return Restatement.to_texts(labels[: len(own.values)])

        return show


def _check_model(here: Place, model: PrivacyModel) -> None:
    """Refuse a rule that cannot be asked of groups: about amounts, or from exact values on."""
    if model.needs_numbers:
        here.refuse(
            f"the rule {model.name} is about numbers, and groups are none; round the column "
            f"instead or ask for another rule."
        )
    if model.needs_taxonomy:
        here.refuse(
            f"the rule {model.name} measures by the taxonomy from the exact values on; choose "
            f"another distance."
        )
