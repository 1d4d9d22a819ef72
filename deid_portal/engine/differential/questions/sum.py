"""What the numbers of a column add up to."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field, NumberColumn
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.grid import NoiseGrid
from deid_portal.engine.differential.noise.noise import FOR_NUMBERS, GridNoise
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import interval_around, rounded
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.selection.domains import NumberDomain, plain_number
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

CLAMPED = "Numbers beyond the declared bounds count as the bound."
GAPS = "Rows without a number here are left out."


@dataclass(frozen=True)
class Sum(NoisyQuestion):
    """A row adds at most the larger bound; a replaced row may also change it by their distance.

    A row that is replaced by one without a number, or by one the conditions leave out, takes its
    own number along: so the bounds themselves count under both relations, not only their distance.
    """

    column: str

    kind: ClassVar[str] = "sum"
    label: ClassVar[str] = "Sum"
    tile: ClassVar[str] = "What the numbers of a column add up to"
    fields: ClassVar[tuple[Field, ...]] = (NumberColumn(), FOR_NUMBERS)

    @property
    def domain(self) -> NumberDomain:
        return self.setting.bounds_of(self.column)

    def noises(self) -> tuple[GridNoise, ...]:
        rows = self.setting.rows_per_person
        change = rows * largest_change(self.domain, self.setting.replaces)
        return (
            GridNoise.calibrate(
                self.mechanism, self.price, self._grid, change, change, rounding=rows
            ),
        )

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        return (np.array([self._grid.encode(rows.numbers(self.column)).sum()]),)

    def asks(self) -> str:
        return f"What do the numbers of {self.column} add up to"

    def changes(self) -> str:
        return f"the sum changes by at most {plain_number(self.noises()[0].sensitivity)}"

    def assumptions(self) -> tuple[str, ...]:
        return (CLAMPED, GAPS)

    def explain(self) -> str:
        return (
            f"Every number is moved into {plain_number(self.domain.low)} to "
            f"{plain_number(self.domain.high)}, they are added up and noise is added: "
            f"{self.formula()}, with Δ = {plain_number(self.noises()[0].sensitivity)}, because "
            f"when {self.setting.neighbour_words}, {self.changes()}."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        value = float(noisy[0][0])
        width = self.noises()[0].half_width(CONFIDENCE)
        interval = interval_around(value, width)
        return NoisyResult(
            {"value": rounded(value, width), "interval": interval},
            f"About {rounded(value, width)}; the true sum lies from {interval[0]} to "
            f"{interval[1]}, 95 % sure.",
        )

    @property
    def _grid(self) -> NoiseGrid:
        return NoiseGrid.for_size(max(abs(self.domain.low), abs(self.domain.high)))


def largest_change(domain: NumberDomain, replaces: bool) -> float:
    """Return what one row changes a sum by at most."""
    alone = max(abs(domain.low), abs(domain.high))
    return max(alone, domain.width) if replaces else alone
