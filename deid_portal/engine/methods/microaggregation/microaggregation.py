"""Microaggregation: similar people form groups, and everybody shows the average of the group."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.methods.microaggregation import (
    individual_ranking,
    mdav,
    projected,
    spread_groups,
    univariate_optimal,
)
from deid_portal.engine.methods.microaggregation.aggregates import (
    Aggregate,
    aggregate,
    information_loss,
)
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import NUMBER, Numbers, Space
from deid_portal.engine.methods.microaggregation.merge_until import Holds, join_until
from deid_portal.engine.methods.microaggregation.space import Attribute, describe, lay_out_records
from deid_portal.engine.methods.mondrian.partition import Parts
from deid_portal.engine.methods.mondrian.rules import (
    BoxModelRule,
    least_records,
    pairs_of_rows,
)
from deid_portal.engine.parameters import (
    Choice,
    ColumnGroups,
    ColumnNames,
    Declared,
    Flag,
    Parameter,
    number_of_look_alikes,
)
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Codes, Table
from deid_portal.engine.taxonomies import Recipe

MDAV, UNIVARIATE, RANKING, PROJECTED = (
    "mdav",
    "univariate-optimal",
    "individual-ranking",
    "projected",
)
JOIN, SPREAD = "join", "spread"  # what is done to keep the models of the plan
ONE_BY_ONE = (UNIVARIATE, RANKING)  # each column has groups of its own


@dataclass(frozen=True)
class Microaggregation(ChangingMethod):
    """Groups of at least k similar records, of which every one shows what the group shares.

    Where all quasi-identifiers are grouped together, groups are classes: k-anonymity holds by
    construction, and groups that break another model are joined with the nearest until none does.
    """

    k: int
    algorithm: str = MDAV
    columns: tuple[str, ...] | None = None  # the quasi-identifiers
    groups: tuple[tuple[str, ...], ...] | None = None
    ordered: tuple[str, ...] | None = None
    scale: str = "standard-deviation"
    projection: str = projected.PRINCIPAL_COMPONENT
    variant: str = JOIN
    gaps: str = "blank"
    blocked: bool = False
    decimals: int | None = None

    name: ClassVar[str] = "microaggregation"
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "Microaggregation"
    is_in_plain_view: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "J. Domingo-Ferrer, V. Torra, Ordinal, continuous and heterogeneous k-anonymity through "
        "microaggregation, Data Mining and Knowledge Discovery 11(2), 2005."
    )
    breaks_ties_by_order: ClassVar[bool] = True
    makes_classes: ClassVar[bool] = True
    leaves_out_nobody: ClassVar[bool] = True
    needs_quasi_identifiers: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        number_of_look_alikes(default=3),
        Choice("algorithm", (MDAV, *ONE_BY_ONE, PROJECTED)),
        ColumnNames("columns", optional=True),
        ColumnGroups("groups"),
        ColumnNames("ordered", optional=True),
        Choice("scale", ("standard-deviation", "none")),
        Choice("projection", (projected.PRINCIPAL_COMPONENT, projected.SUM)),
        Choice("variant", (JOIN, SPREAD)),
        Choice("gaps", ("blank", "fill")),
        Flag("blocked"),
        Parameter("decimals", minimum=0, maximum=6, whole=True, optional=True),
    )

    @classmethod
    def parse(cls, place: Place) -> "Microaggregation":
        method = super().parse(place)
        if method.columns is not None and method.groups is not None:
            place["groups"].refuse("either columns or groups of columns are accepted, not both.")
        if method.variant == SPREAD and method.algorithm != MDAV:
            place["variant"].refuse("spread needs the algorithm mdav.")
        if method.groups is not None and method.algorithm in ONE_BY_ONE:
            place["groups"].refuse(f"{method.algorithm} takes every column by itself.")
        return method

    def explain(self) -> str:
        if self.algorithm in ONE_BY_ONE:
            return (
                f"In every column for itself, at least {self.k} people with similar values all "
                f"show their average. Several columns together may still single somebody out."
            )
        return (
            f"At least {self.k} similar people form a group, and everybody in it shows the average "
            f"of the group."
        )

    def cautions(self) -> list[str]:
        found = super().cautions()
        if self.algorithm in ONE_BY_ONE:
            found.append(
                f"{self.algorithm} takes every column by itself, so people need not look alike in "
                f"several columns together."
            )
        if self.gaps == "fill":
            found.append("Missing cells are filled in with the average of the others in the group.")
        return found

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        quasi = [name for name, role in roles.items() if role == "quasi-identifier"]
        grouped = [name for group in self.groups or () for name in group]
        check_known_columns(place["columns"], self.columns or (), roles)
        check_known_columns(place["groups"], grouped, roles)
        changed = self.columns or grouped or quasi
        if not changed:
            place["columns"].refuse(
                "this is required where the plan has no quasi-identifiers: the columns to average."
            )
        if not set(self.ordered or ()) <= set(changed):
            place["ordered"].refuse("only columns that are averaged are accepted.")

    def check_problem(self, place: Place, problem: Problem) -> None:
        if self.k > problem.rows:
            place["k"].refuse(
                f"the table has {problem.rows} rows, so at most {problem.rows} is accepted."
            )
        if self.variant == SPREAD:
            self._check_spread(place["variant"], problem)
        for model in problem.models:
            if model.needs_labels:
                place.refuse(
                    f"{model.name} looks for labels of a taxonomy, and microaggregation shows "
                    f"averages; choose full-domain or local-recoding, or another model."
                )
        if self.algorithm == PROJECTED:
            for names in self._sets(problem):
                attributes = self._attributes(problem, problem.table, names)
                if any(attribute.kind != NUMBER for attribute in attributes):
                    place["algorithm"].refuse(
                        "projected needs columns of numbers or dates; choose mdav for others."
                    )

    def _check_spread(self, place: Place, problem: Problem) -> None:
        if not _secrets(problem):
            place.refuse("spread needs a model about a sensitive column, t-closeness say.")
        if not any(set(names) >= set(problem.names) for names in self._sets(problem)):
            place.refuse("spread needs all quasi-identifiers to be averaged together.")

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        table = draft.table
        if self.k > table.rows:
            return draft.keep(np.zeros(table.rows, np.bool_))
        done: list[Aggregate] = []
        found: list[Groups] = []
        joined = 0
        for names in self._sets(draft.problem):
            attributes = self._attributes(draft.problem, table, names)
            makes_classes = set(names) >= set(draft.problem.names)
            if makes_classes and self.variant == SPREAD:
                groups = self._spread(draft, attributes, progress)
            else:
                groups = self._divide(attributes, progress)
            if makes_classes and self.variant == JOIN:
                first = groups.count
                groups = self._join(draft, attributes, groups, progress)
                joined += first - groups.count
            found.append(groups)
            done += [aggregate(own, groups, fill=self.gaps == "fill") for own in attributes]
        changed = draft.with_columns(*(own.column(self.decimals) for own in done))
        return changed.noting(**self._figures(done, found, joined))

    def _sets(self, problem: Problem) -> Sequence[tuple[str, ...]]:
        """Return the columns that are grouped together."""
        if self.groups is not None:
            return self.groups
        names = self.columns or problem.names
        return [(name,) for name in names] if self.algorithm in ONE_BY_ONE else [tuple(names)]

    def _attributes(self, problem: Problem, table: Table, names: Sequence[str]) -> list[Attribute]:
        recipes: dict[str, Recipe | None] = {
            name: column.taxonomy for name, column in problem.released.items()
        }
        recipes |= dict(zip(problem.names, problem.recipes, strict=True))
        weights = dict(zip(problem.names, problem.weights, strict=True))
        return [
            describe(
                table[name],
                recipes.get(name),
                is_ordered=name in (self.ordered or ()),
                weight=weights.get(name, 1.0),
            )
            for name in names
        ]

    def _lay_out(self, attributes: Sequence[Attribute]) -> tuple[Space, Numbers]:
        return lay_out_records(attributes, scaled=self.scale != "none")

    def _divide(self, attributes: Sequence[Attribute], progress: Progress) -> Groups:
        space, points = self._lay_out(attributes)
        match self.algorithm:
            case "univariate-optimal":
                return univariate_optimal.find_groups(points[0], self.k)
            case "individual-ranking":
                return individual_ranking.find_groups(points[0], self.k)
            case "projected":
                return projected.find_groups(points, self.k, self.projection)
            case _:
                return mdav.find_groups(space, points, self.k, progress, blocked=self.blocked)

    def _join(
        self, draft: TableDraft, attributes: Sequence[Attribute], groups: Groups, progress: Progress
    ) -> Groups:
        """Join groups until they keep the models of the plan."""
        holds = _rule(_as_it_stands(draft, progress))
        return join_until(holds, *self._lay_out(attributes), groups, progress)

    def _spread(
        self, draft: TableDraft, attributes: Sequence[Attribute], progress: Progress
    ) -> Groups:
        """Make groups in which the secret of the first model that has one is spread."""
        problem = _as_it_stands(draft, progress)
        secret = problem.whole.sensitive[_secrets(problem)[0]]
        places = describe(problem.table[secret.column.name], secret.recipe)
        return spread_groups.find_holding_groups(
            _rule(problem),
            *self._lay_out(attributes),
            places.places[places.column.codes],
            max(self.k, least_records(problem.models)),
            progress,
        )

    def _figures(
        self, done: Sequence[Aggregate], found: Sequence[Groups], joined: int
    ) -> dict[str, Any]:
        figures: dict[str, Any] = {
            "k": self.k,
            "algorithm": self.algorithm,
            "groups": sum(groups.count for groups in found),
            "smallest_group": min(int(groups.sizes.min()) for groups in found),
            "largest_group": max(int(groups.sizes.max()) for groups in found),
            "joined_for_models": joined,
            "blanked_cells": sum(own.blanked for own in done),
            "filled_cells": sum(own.filled for own in done),
            "columns": [own.attribute.column.name for own in done],
        }
        loss = information_loss(done)
        return figures if loss is None else figures | {"information_loss": loss}


def _as_it_stands(draft: TableDraft, progress: Progress) -> Problem:
    """Return the problem with the sensitive columns of the draft.

    Posing the problem again would require quasi-identifiers that fit their taxonomies, so that is
    avoided if only quasi-identifiers were changed.
    """
    before, now = draft.problem.table, draft.table
    if all(before[name].values == now[name].values for name in draft.problem.whole.sensitive):
        return replace(draft.problem, table=now)
    return draft.pose(progress)


def _secrets(problem: Problem) -> list[str]:
    """Return the sensitive columns the models are about."""
    named = (model.sensitive_column for model in problem.models)
    return [name for name in named if name is not None]


def _rule(problem: Problem) -> Holds:
    """Return the function that says for each group whether the models of the plan hold."""
    rule = BoxModelRule(problem, pairs_of_rows(problem))
    least = least_records(problem.models)
    return lambda groups: np.asarray(rule(_parts(groups)) & (groups.sizes >= least))


def _parts(groups: Groups) -> Parts:
    members: Codes = np.unique(groups.of_record, return_index=True)[1].astype(np.int32)
    return Parts(groups.of_record, members, groups.sizes)
