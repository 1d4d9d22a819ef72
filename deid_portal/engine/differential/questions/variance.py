"""The variance of a column: mean of squares minus square of the mean, from three noisy sums."""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from deid_portal.engine.differential.fields import Field, NumberColumn
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noise import FOR_NUMBERS, GridNoise
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import rounded, rounded_outwards
from deid_portal.engine.differential.questions.centred import (
    CentredSum,
    count_noise,
    measure_count,
    ratio,
    ratio_interval,
    ratio_width,
    shared_confidence,
)
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.questions.sum import CLAMPED, GAPS
from deid_portal.engine.differential.selection.domains import NumberDomain
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class Variance(NoisyQuestion):
    """With x around the middle of the bounds, r their half width, and y = x² − r²/2."""

    column: str

    kind: ClassVar[str] = "variance"
    label: ClassVar[str] = "Variance"
    tile: ClassVar[str] = "How far the numbers of a column lie apart"
    fields: ClassVar[tuple[Field, ...]] = (NumberColumn(), FOR_NUMBERS)
    answer_unit: ClassVar[str] = "squared"

    @property
    def domain(self) -> NumberDomain:
        return self.setting.bounds_of(self.column)

    def noises(self) -> tuple[GridNoise, ...]:
        third = self.price.part(3)
        return (
            self._centred.noise(self.mechanism, third, self.setting),
            self._squares.noise(self.mechanism, third, self.setting),
            count_noise(self.mechanism, third, self.setting),
        )

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        numbers = rows.numbers(self.column) - self.domain.middle
        squares = numbers**2 - self._squares.reach
        return (
            self._centred.measure(numbers),
            self._squares.measure(squares),
            measure_count(numbers),
        )

    @property
    def depends_on_rows(self) -> bool:
        return True

    def width(self, confidence: float, rows: int | None) -> float | None:
        """A mean that is off by d makes its square off by 2·reach·d at most."""
        if rows is None:
            return None
        each = shared_confidence(confidence, 3)
        total, squares, count = (noise.half_width(each) for noise in self.noises())
        reach = self._centred.reach
        of_squares = ratio_width(squares, count, self._squares.reach, rows)
        of_mean = ratio_width(total, count, reach, rows)
        return min(of_squares + 2 * reach * of_mean, reach**2)

    def asks(self) -> str:
        return f"What is the variance of {self.column}"

    def changes(self) -> str:
        return f"the sum around the middle changes by at most {self.noises()[0].sensitivity:.6g}"

    def assumptions(self) -> tuple[str, ...]:
        return (CLAMPED, GAPS)

    def explain(self) -> str:
        return (
            f"A third of ε each buys the sum of x = number − {self.domain.middle:g}, the sum of "
            f"x² − {self._squares.reach:g} and the number of rows, each with noise "
            f"({self.formula()}). The answer is mean of x² − (mean of x)², never below zero."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        total, squares, count = (float(part[0]) for part in noisy)
        each = shared_confidence(CONFIDENCE, 3)
        widths = [noise.half_width(each) for noise in self.noises()]
        reach, half = self._centred.reach, self._squares.reach
        mean = ratio(total, count, reach)
        value = min(max(ratio(squares, count, half) + half - mean**2, 0.0), reach**2)
        means = ratio_interval(total, widths[0], count, widths[2], reach)
        of_squares = ratio_interval(squares, widths[1], count, widths[2], half)
        nearest = 0.0 if means[0] <= 0 <= means[1] else min(means[0] ** 2, means[1] ** 2)
        low = max(of_squares[0] + half - max(means[0] ** 2, means[1] ** 2), 0.0)
        high = min(max(of_squares[1] + half - nearest, 0.0), reach**2)
        width = max((high - low) / 2, reach**2 * 1e-9)
        interval = rounded_outwards(low, high, width)
        return NoisyResult(
            {"value": rounded(value, width), "interval": interval},
            f"About {rounded(value, width)} (standard deviation {sqrt(value):.3g}); the true "
            f"variance lies from {interval[0]} to {interval[1]}, 95 % sure.",
        )

    @property
    def _centred(self) -> CentredSum:
        return CentredSum(self.domain.width / 2)

    @property
    def _squares(self) -> CentredSum:
        return CentredSum(self._centred.reach**2 / 2)
