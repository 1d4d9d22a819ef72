"""Questions that count rows in cells, of which every row is in one at most.

Disjoint cells compose in parallel: all of them together cost what one count costs. A row that is
replaced may leave one cell and enter another, so that two of them change.
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noise import GridNoise, grid_of_counts, on_grid
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import (
    interval_around,
    percent_words,
    rounded,
    width_words,
)
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.domains import Indices
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

MOST_CELLS = 10_000


@dataclass(frozen=True)
class CellsQuestion(NoisyQuestion):
    @property
    @abstractmethod
    def cells(self) -> int:
        """Return how many cells there are; declared, not seen."""

    @abstractmethod
    def cell_of(self, rows: SelectedRows) -> Indices:
        """Return the cell of each row, a negative number for none."""

    @abstractmethod
    def names(self) -> list[Mapping[str, Any]]:
        """Return what each cell stands for."""

    def check(self, place: Place) -> None:
        super().check(place)
        if self.cells > MOST_CELLS:
            place.refuse(
                f"this asks for {self.cells} numbers; at most {MOST_CELLS} are accepted, so ask "
                f"for fewer or wider ones."
            )

    def noises(self) -> tuple[GridNoise, ...]:
        grid = grid_of_counts(self.mechanism)
        return (GridNoise.calibrate(self.mechanism, self.price, grid, *self._change()),)

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        cells = self.cell_of(rows)
        counts = np.bincount(cells[cells >= 0], minlength=self.cells)
        return (on_grid(counts, grid_of_counts(self.mechanism)),)

    def changes(self) -> str:
        return f"the counts change by at most {self._change()[0]} altogether"

    def expects(self, width: float | None, confidence: float) -> str:
        sure = percent_words(confidence)
        each = width_words(width or 0)
        return f"Each number will be within ±{each} of the true one, {sure} sure for each."

    def explain(self) -> str:
        return (
            f"Every row is counted in one of {self.cells} cells fixed beforehand, and each count "
            f"gets noise: {self.formula()}, with Δ = {self._change()[0]}, because when "
            f"{self.setting.neighbour_words}, {self.changes()}. All cells together cost as much "
            f"as one."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        width = self.noises()[0].half_width(CONFIDENCE)
        values = [
            {**name, "value": rounded(float(value), width)}
            for name, value in zip(self.names(), noisy[0], strict=True)
        ]
        intervals = [interval_around(float(value), width, low=0) for value in noisy[0]]
        return NoisyResult(
            {"values": values, "intervals": intervals},
            f"{self.cells} counts, each within ±{width_words(width)} of the true one, 95 % sure "
            f"for each; one in twenty may lie further off.",
        )

    def _change(self) -> tuple[int, float]:
        """Return the L1 and L2 sensitivity of the counts together."""
        rows = self.setting.rows_per_person
        if self.cells == 1 or not self.setting.replaces:
            return rows, rows
        return 2 * rows, sqrt(2) * rows
