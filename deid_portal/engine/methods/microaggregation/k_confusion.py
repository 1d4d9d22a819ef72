"""k-confusion: changed records, each equally likely to belong to any of k people."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.methods.microaggregation import mdav
from deid_portal.engine.methods.microaggregation.aggregates import (
    Aggregate,
    aggregate,
    information_loss,
)
from deid_portal.engine.methods.microaggregation.groups import Groups
from deid_portal.engine.methods.microaggregation.kernels import GAP, NUMBER
from deid_portal.engine.methods.microaggregation.rotation import rotate_groups
from deid_portal.engine.methods.microaggregation.space import Attribute, describe, lay_out_records
from deid_portal.engine.parameters import ColumnNames, Declared, Parameter, number_of_look_alikes
from deid_portal.engine.privacy.k_confusion import KConfusion
from deid_portal.engine.progress import Progress
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.table.table import Table


@dataclass(frozen=True)
class KConfusionRelease(ChangingMethod):
    """Groups of at least k similar records, each turned at random about its mean.

    The numbers of a group keep its mean and covariance and depend on nothing else, so that for
    every member all records of the group are equally likely (Stokes & Torra, 2012). Unlike in
    microaggregation the records differ, and variances and correlations stay what they were.
    """

    k: int
    columns: tuple[str, ...] | None = None  # the quasi-identifiers
    decimals: int | None = None

    breaks_ties_by_order: ClassVar[bool] = True
    name: ClassVar[str] = "k-confusion"
    moves_cells: ClassVar[bool] = True
    title: ClassVar[str] = "k-confusion"
    cites: ClassVar[str] = (
        "K. Stokes, V. Torra, n-confusion: a generalization of k-anonymity, EDBT/ICDT Workshops "
        "2012; D. Ting, S. Fienberg, M. Trottini, Random orthogonal matrix masking methodology "
        "for microdata release, International Journal of Information and Computer Security 2008."
    )
    protects_by_chance: ClassVar[bool] = True
    needs_quasi_identifiers: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        # Mean and covariance determine a group of two.
        number_of_look_alikes(minimum=3, default=3),
        ColumnNames("columns", optional=True),
        Parameter("decimals", minimum=0, maximum=6, whole=True, optional=True),
    )

    def explain(self) -> str:
        return (
            f"At least {self.k} similar people form a group, and their numbers are replaced by "
            f"random ones with the same average and spread; each of them could be anybody's of "
            f"the group."
        )

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns or (), roles)
        if not self.columns and "quasi-identifier" not in roles.values():
            place["columns"].refuse(
                "this is required where the plan has no quasi-identifiers: the columns to change."
            )

    def check_problem(self, place: Place, problem: Problem) -> None:
        if self.k > problem.rows:
            place["k"].refuse(
                f"the table has {problem.rows} rows, so at most {problem.rows} is accepted."
            )
        attributes = self._attributes(problem, problem.table)
        if any(attribute.kind != NUMBER for attribute in attributes):
            place["columns"].refuse("columns of numbers or dates are accepted; name them.")
        for model in problem.models:
            if model.needs_labels:
                place.refuse(
                    f"{model.name} looks for labels of a taxonomy, and k-confusion shows made-up "
                    f"numbers; choose another model or another method."
                )
            if isinstance(model, KConfusion):
                place.refuse(
                    "the model k-confusion counts rows that look alike where it finds no labels, "
                    "and here none do; leave it out, the method keeps k-confusion by itself."
                )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        if self.k > draft.table.rows:
            return draft.keep(np.zeros(draft.table.rows, np.bool_))
        attributes = self._attributes(draft.problem, draft.table)
        groups = mdav.find_groups(*lay_out_records(attributes), self.k, progress)
        # Where one member has a gap, all get it, or the gap would tell who it is.
        is_gap = np.array([aggregate(own, groups).places == GAP for own in attributes])
        places = np.array([own.places[own.column.codes] for own in attributes])
        rotated = rotate_groups(np.where(is_gap, 0.0, places), groups, generator, progress)
        done = [
            Aggregate(own, shown)
            for own, shown in zip(attributes, np.where(is_gap, GAP, rotated), strict=True)
        ]
        changed = draft.with_columns(*(own.column(self.decimals) for own in done))
        return self._note(changed, done, groups)

    def _note(self, draft: TableDraft, done: list[Aggregate], groups: Groups) -> TableDraft:
        noted = draft.noting(
            k=self.k,
            groups=groups.count,
            smallest_group=int(groups.sizes.min()),
            largest_group=int(groups.sizes.max()),
            blanked_cells=sum(own.blanked for own in done),
            columns=[own.attribute.column.name for own in done],
        )
        loss = information_loss(done)
        return noted if loss is None else noted.noting(information_loss=loss)

    def _attributes(self, problem: Problem, table: Table) -> list[Attribute]:
        recipes = dict(zip(problem.names, problem.recipes, strict=True))
        names = self.columns or problem.names
        return [describe(table[name], recipes.get(name)) for name in names]
