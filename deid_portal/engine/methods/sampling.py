"""Sampling: only a random part of the people is in the release."""

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress


@dataclass(frozen=True)
class Sampling(ChangingMethod):
    """A simple random sample without replacement of `share` of the rows, at least one."""

    share: float

    name: ClassVar[str] = "sampling"
    title: ClassVar[str] = "Sampling"
    cites: ClassVar[str] = (
        "C. J. Skinner, C. Marsh, S. Openshaw, C. Wymer, Disclosure control for census microdata, "
        "JOS 10(1), 1994."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "share",
            start=0.5,
            minimum=0.0001,
            maximum=1,
            unusual_above=0.5,
            caution=(
                "A sample of {value} of the people leaves little doubt that a person is in the "
                "release."
            ),
        ),
    )

    def explain(self) -> str:
        return (
            f"Only {100 * self.share:g} % of the people, drawn at random, are in the release, so "
            f"nobody can be sure that a person is among them."
        )

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        rows = draft.table.rows
        count = min(max(math.floor(Decimal(str(self.share)) * rows + Decimal("0.5")), 1), rows)
        drawn = np.zeros(rows, np.bool_)
        drawn[generator.choice(rows, count, replace=False, shuffle=False)] = True
        return draft.draw(drawn).noting(share=self.share, drawn=count, out_of=rows)
