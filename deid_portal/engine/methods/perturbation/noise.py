"""Noise: numbers moved a little, so that no exact one can be looked up."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.draft.draft import TableDraft
from deid_portal.engine.methods.changing_method import ChangingMethod, check_known_columns
from deid_portal.engine.methods.numeric import numbers_per_row
from deid_portal.engine.methods.perturbation.noisy_numbers import (
    add_correlated_noise,
    add_noise,
    deviation_of,
    expected_deviation,
    multiply_noise,
)
from deid_portal.engine.parameters import Choice, ColumnNames, Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.numbers import Numbers, decimals_of, number_column


@dataclass(frozen=True)
class Noise(ChangingMethod):
    """Every number of some columns is changed by chance, as much as `scale` says.

    Additive noise has `scale` times the column's standard deviation. Correlated noise has the
    columns' own covariance and is shrunk back, so that means and covariances stay (Kim, 1986).
    Multiplicative noise changes every number by about the share `scale` of itself. Numbers keep as
    many decimals as their column had, and gaps stay gaps.
    """

    columns: tuple[str, ...]
    scale: float
    kind: str = "additive"

    name: ClassVar[str] = "noise"
    moves_cells: ClassVar[bool] = True
    amount: ClassVar[str] = "scale"
    title: ClassVar[str] = "Noise"
    cites: ClassVar[str] = (
        "J. J. Kim, A method for limiting disclosure in microdata based on random noise and "
        "transformation, ASA Survey Research Methods, 1986; R. Brand, Microdata protection through "
        "noise addition, LNCS 2316, 2002."
    )
    needs_quasi_identifiers: ClassVar[bool] = False
    protects_by_chance: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("columns"),
        Parameter(
            "scale",
            start=0.1,
            minimum=0.001,
            maximum=10,
            unusual_below=0.05,
            unusual_above=1,
            caution=(
                "A scale of {value} is unusual: below 0.05 numbers hardly move, above 1 the noise "
                "is larger than what it hides."
            ),
        ),
        Choice("kind", ("additive", "correlated", "multiplicative")),
    )

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_known_columns(place["columns"], self.columns, roles)

    def explain(self) -> str:
        how = {
            "additive": "Each number gets a random amount added, a share of the column's spread.",
            "correlated": (
                "Numbers get random amounts added that go together as the columns do, and means "
                "and relations are kept."
            ),
            "multiplicative": "Each number is multiplied by a random factor around one.",
        }
        return f"{how[self.kind]} Exact amounts can no longer be looked up elsewhere."

    def change(
        self, draft: TableDraft, generator: np.random.Generator, progress: Progress
    ) -> TableDraft:
        numbers = np.column_stack([numbers_per_row(draft, name) for name in self.columns])
        noisy = self._disturb(numbers, generator, progress)
        columns = [
            number_column(
                draft.table[name],
                noisy[:, index],
                decimals_of(draft.table[name]),
                lambda: progress.report(0, 1, "protect"),
            )
            for index, name in enumerate(self.columns)
        ]
        return draft.with_columns(*columns).noting(**self._describe(numbers))

    def _disturb(
        self, numbers: Numbers, generator: np.random.Generator, progress: Progress
    ) -> Numbers:
        if self.kind == "correlated":
            return add_correlated_noise(numbers, self.scale, generator)
        noisy = np.empty_like(numbers)
        for index, column in enumerate(numbers.T):
            progress.report(index, len(self.columns), "protect")
            if self.kind == "additive":
                deviation = self.scale * deviation_of(column)
                noisy[:, index] = add_noise(column, deviation, generator)
            else:
                noisy[:, index] = multiply_noise(column, self.scale, generator)
        return noisy

    def _describe(self, numbers: Numbers) -> dict[str, Any]:
        """Return what an analyst needs to allow for the noise: how far it moves numbers."""
        deviations = {
            name: expected_deviation(numbers[:, index], self.scale, self.kind)
            for index, name in enumerate(self.columns)
        }
        return {"kind": self.kind, "scale": self.scale, "noise_deviation": deviations}
