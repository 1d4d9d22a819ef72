"""A differentially private table: a secret sample, shown at levels chosen beforehand.

What must never happen: what is shown of a drawn record depends on anything in the table but its own
cells. So levels come from the plan, the sample is drawn by random bytes of the operating system and
no seed, groups are counted over every column that leaves, and nothing may come before this method.
What the report says about the original is not covered by the promise, and the report says so.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.methods.private_tables.safe_sampling import (
    SafeSampling,
    find_sampling,
    largest_share,
)
from deid_portal.engine.parameters import Declared, LevelsByColumn, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.randomness.secret_sampling import draw_in_secret
from deid_portal.engine.search.problem import Problem
from deid_portal.engine.search.recoding import generalize
from deid_portal.engine.table.patterns import reduce_table
from deid_portal.engine.table.table import Column
from deid_portal.engine.table.values import find_date_format
from deid_portal.engine.taxonomies import DateTaxonomy, IntervalTaxonomy, MaskTaxonomy, Recipe

PROMISE = (
    "The table alone is (ε, δ)-differentially private, for neighbors that differ by one row. The "
    "figures of this report about the original are not covered; share them with care."
)


@dataclass(frozen=True)
class DPTable(ChangingMethod):
    """Every row is drawn with a chance β; what fewer than k drawn rows show alike is left out.

    β and k follow from ε and δ alone (Li, Qardaji and Su, 2012). Rows are alike if they agree in
    every column that leaves, quasi-identifier or not, at the levels the plan gives.
    """

    epsilon: float
    delta: float
    share: float | None = None
    levels: Mapping[str, int] = field(default_factory=dict)

    name: ClassVar[str] = "dp-table"
    title: ClassVar[str] = "Differentially private table"
    cites: ClassVar[str] = (
        "N. Li, W. Qardaji, D. Su, On sampling, anonymization, and differential privacy, ASIACCS "
        "2012."
    )
    protects_by_chance: ClassVar[bool] = True
    is_private: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "epsilon",
            start=1,
            minimum=0.02,
            maximum=10,
            unusual_above=3,
            caution="ε = {value} is a weak promise: beliefs may change by a large factor.",
        ),
        Parameter(
            "delta",
            start=1e-6,
            minimum=1e-15,
            maximum=0.01,
            unusual_above=1e-5,
            caution=(
                "δ = {value} is unusual: it should be far below one over the number of people."
            ),
        ),
        Parameter("share", minimum=0.001, maximum=0.99, optional=True),
        LevelsByColumn("levels"),
    )

    @classmethod
    def parse(cls, place: Place) -> Self:
        method = super().parse(place)
        most = largest_share(method.epsilon)
        if method.share is not None and method.share > most:
            place["share"].refuse(
                f"with this epsilon at most 1 − e^−ε = {math.floor(1000 * most) / 1000:g} of the "
                f"rows may be drawn."
            )
        try:
            method.sampling()
        except ValueError:
            place["epsilon"].refuse("no sample keeps this promise; choose a larger number.")
        return method

    def cautions(self) -> list[str]:
        return [
            *super().cautions(),
            "The promise holds only if the levels were chosen without looking at this table.",
        ]

    def check_problem(self, place: Place, problem: Problem) -> None:
        parts = {
            name: (recipe, taxonomy.height)
            for name, recipe, taxonomy in zip(
                problem.names, problem.recipes, problem.taxonomies, strict=True
            )
        }
        for name, level in self.levels.items():
            here = place["levels"][name]
            if name not in parts:
                here.refuse("only quasi-identifiers have levels.")
            recipe, height = parts[name]
            if level > height:
                here.refuse(f"the taxonomy of this column has levels 0 to {height}.")
            if level:
                _check_labels(here, recipe, level, height, problem, name)
        if any(column.is_pseudonym for column in problem.released.values()):
            place.refuse("a pseudonym singles a person out; remove identifiers for this method.")

    def explain(self) -> str:
        sampling = self.sampling()
        return (
            f"{100 * sampling.share:g} % of the people are drawn in secret, and what fewer than "
            f"{sampling.k} of them show alike in all columns is left out: whether any one person "
            f"is in the table hardly changes what can be seen (ε = {self.epsilon:g}, "
            f"δ = {self.delta:g})."
        )

    def sampling(self) -> SafeSampling:
        """Return the share to draw and how many must be alike; neither depends on the table."""
        return find_sampling(self.epsilon, self.delta, self.share)

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        if not draft.is_untouched or draft.steps:
            raise InvalidPlan(
                "method: dp-table must come first; what was done before would not be private."
            )
        sampling = self.sampling()
        rows = draft.table.rows
        drawn = draw_in_secret(
            rows, sampling.share, lambda done: progress.report(done, rows, "protect")
        )
        sample = draft.draw(drawn)
        shown = sample.with_columns(*self._shown(sample))
        leaving = [name for name in shown.table.names if name in draft.problem.released]
        alike = reduce_table(shown.table, leaving, (), progress)
        kept = shown.keep((alike.counts >= sampling.k)[alike.pattern_of_row])
        return kept.noting(**self._describe(sampling))

    def _shown(self, draft: TableDraft) -> list[Column]:
        problem = draft.problem
        return [
            generalize(draft.table[name], taxonomy, self.levels.get(name, 0))
            for name, taxonomy in zip(problem.names, problem.taxonomies, strict=True)
        ]

    def _describe(self, sampling: SafeSampling) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "share": sampling.share,
            "k": sampling.k,
            "delta_reached": sampling.delta,
            "levels": dict(self.levels),
            "promise": PROMISE,
        }


def _check_labels(
    here: Place, recipe: Recipe, level: int, height: int, problem: Problem, name: str
) -> None:
    """Refuse labels that depend on rows other than their own: these would not be private."""
    if isinstance(recipe, MaskTaxonomy) and level == height:
        here.refuse(
            "how many characters are hidden here depends on the longest value of the table; hide "
            "fewer or leave the column out."
        )
    declared = name in problem.released and problem.released[name].type is not None
    if isinstance(recipe, IntervalTaxonomy) and not declared:
        here.refuse("how intervals are written depends on the type; give the column one.")
    if isinstance(recipe, DateTaxonomy):
        texts = [text for text in problem.table[name].values if text is not None]
        if not (find_date_format(texts) or "").startswith("%Y"):
            here.refuse(
                "how these dates are read depends on all of them together; write the year first."
            )
