"""How many rows there are."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noise import (
    FOR_COUNTS,
    GridNoise,
    grid_of_counts,
    on_grid,
)
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import interval_around, rounded
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class Count(NoisyQuestion):
    """Adding or removing a row changes it by one; replacing a row by at most one."""

    kind: ClassVar[str] = "count"
    label: ClassVar[str] = "How many"
    tile: ClassVar[str] = "The number of rows that fit your conditions"
    is_count: ClassVar[bool] = True
    fields: ClassVar[tuple[Field, ...]] = (FOR_COUNTS,)

    def noises(self) -> tuple[GridNoise, ...]:
        change = self.setting.rows_per_person
        grid = grid_of_counts(self.mechanism)
        return (GridNoise.calibrate(self.mechanism, self.price, grid, change, change),)

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        return (on_grid(np.array([rows.chosen.sum()]), grid_of_counts(self.mechanism)),)

    def asks(self) -> str:
        return "How many rows are there"

    def changes(self) -> str:
        return f"the count changes by at most {self.setting.rows_per_person}"

    def explain(self) -> str:
        return (
            f"The rows are counted and noise is added: {self.formula()}, with "
            f"Δ = {self.setting.rows_per_person}, because {self.changes()} when "
            f"{self.setting.neighbour_words}."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        value = float(noisy[0][0])
        width = self.noises()[0].half_width(CONFIDENCE)
        interval = interval_around(value, width, low=0)
        return NoisyResult(
            {"value": rounded(value, width), "interval": interval},
            f"About {max(value, 0):.0f} rows; the true number lies from {interval[0]} to "
            f"{interval[1]}, 95 % sure.",
        )
