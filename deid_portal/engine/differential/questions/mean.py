"""The mean of a column, three ways.

ratio: a noisy sum by a noisy count; needs to know nothing.
bounded-size: at least `size` rows are promised; then one row changes the mean by (high − low)/size
at most, and one noise is enough. Fewer rows than promised cost no privacy: the sum is divided by
`size` then, and the answer leans to the middle of the bounds.
truncated: the mean is moved into an interval chosen beforehand, before and after the noise; one row
changes it by no more than the interval is wide (deck 001; for data with outliers).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field, NumberColumn, NumberField, OneOf
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.grid import NoiseGrid
from deid_portal.engine.differential.noise.noise import FOR_NUMBERS, GridNoise
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import (
    interval_around,
    rounded,
    rounded_outwards,
)
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
from deid_portal.engine.differential.setting import MOST_ROWS
from deid_portal.engine.documents import Place
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

RATIO, BOUNDED_SIZE, TRUNCATED = "ratio", "bounded-size", "truncated"


@dataclass(frozen=True)
class Mean(NoisyQuestion):
    column: str
    variant: str
    size: int | None
    lowest: float | None
    highest: float | None

    kind: ClassVar[str] = "mean"
    label: ClassVar[str] = "Mean"
    tile: ClassVar[str] = "The average of a column"
    fields: ClassVar[tuple[Field, ...]] = (
        NumberColumn(),
        OneOf(
            name="variant",
            label="How",
            choices=(RATIO, BOUNDED_SIZE, TRUNCATED),
            labels=(
                "Noisy sum by noisy count",
                "At least so many rows are promised",
                "Moved into an interval",
            ),
        ),
        NumberField(
            name="size",
            label="At least so many rows have a number and fit",
            whole=True,
            minimum=1,
            maximum=MOST_ROWS,
        ),
        NumberField(name="lowest", label="Truncated: lowest mean shown"),
        NumberField(name="highest", label="Truncated: highest mean shown"),
        FOR_NUMBERS,
    )

    def check(self, place: Place) -> None:
        super().check(place)
        for name in ("lowest", "highest"):
            if (getattr(self, name) is None) == (self.variant == TRUNCATED):
                place[name].refuse('this is needed for the variant "truncated" and for no other.')
        low, high = self._shown_bounds()
        if not self.domain.low <= low < high <= self.domain.high:
            place["lowest"].refuse("the interval must lie within the declared bounds.")
        if self.variant == RATIO and self.size is not None:
            place["size"].refuse('the variant "ratio" has no size.')
        if self.variant == BOUNDED_SIZE and self._size is None:
            place["size"].refuse(
                "say how many rows fit at least; that must be known to everybody beforehand."
            )

    @property
    def domain(self) -> NumberDomain:
        return self.setting.bounds_of(self.column)

    def noises(self) -> tuple[GridNoise, ...]:
        if self.variant != RATIO:
            return (self._noise_of_mean(),)
        half = self.price.part(2)
        return (
            self._centred.noise(self.mechanism, half, self.setting),
            count_noise(self.mechanism, half, self.setting),
        )

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        numbers = rows.numbers(self.column) - self.domain.middle
        if self.variant == RATIO:
            return (self._centred.measure(numbers), measure_count(numbers))
        return (np.array([self._exact_mean(numbers)]),)

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        if self.variant == RATIO:
            return self._read_ratio(float(noisy[0][0]), float(noisy[1][0]))
        low, high = self._shown_bounds()
        width = self._noise_of_mean().half_width(CONFIDENCE)
        middle = float(noisy[0][0]) + self.domain.middle
        interval = interval_around(middle, width, low, high)
        return self._say(min(max(middle, low), high), interval, width)

    @property
    def depends_on_rows(self) -> bool:
        return self.variant == RATIO

    def width(self, confidence: float, rows: int | None) -> float | None:
        if self.variant != RATIO:
            low, high = self._shown_bounds()
            return min(self._noise_of_mean().half_width(confidence), high - low)
        if rows is None:
            return None
        each = shared_confidence(confidence, 2)
        total, count = (noise.half_width(each) for noise in self.noises())
        return ratio_width(total, count, self.domain.width / 2, rows)

    def asks(self) -> str:
        return f"What is the mean of {self.column}"

    def changes(self) -> str:
        what = "the sum around the middle" if self.variant == RATIO else "the mean"
        return f"{what} changes by at most {self.noises()[0].sensitivity:.6g}"

    def assumptions(self) -> tuple[str, ...]:
        if self.variant == RATIO:
            return (CLAMPED, GAPS)
        fewer = f"If fewer than {self._size} rows fit, the answer leans to {self.domain.middle:g}."
        return (CLAMPED, GAPS, fewer) if self._size else (CLAMPED, GAPS)

    def explain(self) -> str:
        if self.variant == RATIO:
            return (
                f"Half of ε buys the sum of (number − {self.domain.middle:g}), half the number of "
                f"rows; each gets noise ({self.formula()}), and the answer is "
                f"{self.domain.middle:g} + sum/count. Numbers are first moved into the bounds."
            )
        shown = (
            ""
            if self.variant == BOUNDED_SIZE
            else (f" moved into {self.lowest:g} to {self.highest:g} before and after;")
        )
        return (
            f"The mean gets noise once:{shown} {self.formula()}, with "
            f"Δ = {self.noises()[0].sensitivity:.6g}."
        )

    @property
    def _centred(self) -> CentredSum:
        return CentredSum(self.domain.width / 2)

    @property
    def _size(self) -> int | None:
        """Return how many rows are promised to fit; those of the table only if all of them do."""
        return self.size if self.size is not None or self.where else self.setting.size

    def _read_ratio(self, total: float, count: float) -> NoisyResult:
        reach, each = self.domain.width / 2, shared_confidence(CONFIDENCE, 2)
        widths = [noise.half_width(each) for noise in self.noises()]
        low, high = ratio_interval(total, widths[0], count, widths[1], reach)
        width = max((high - low) / 2, self.domain.width * 1e-9)
        middle = self.domain.middle
        interval = rounded_outwards(middle + low, middle + high, width)
        return self._say(middle + ratio(total, count, reach), interval, width)

    def _say(self, value: float, interval: list[float | int], width: float) -> NoisyResult:
        return NoisyResult(
            {"value": rounded(value, width), "interval": interval},
            f"About {rounded(value, width)}; the true mean lies from {interval[0]} to "
            f"{interval[1]}, 95 % sure.",
        )

    def _shown_bounds(self) -> tuple[float, float]:
        if self.lowest is not None and self.highest is not None:
            return self.lowest, self.highest
        return self.domain.low, self.domain.high

    def _noise_of_mean(self) -> GridNoise:
        low, high = self._shown_bounds()
        rows = self.setting.rows_per_person
        change = mean_sensitivity(self.domain, self._size, rows)
        if self.variant == TRUNCATED:
            change = min(change, high - low)
        # As fine as floats of 53 bits divide exactly, but for a step of rounding here and there.
        bits = min(30, 50 - (self._size or 1).bit_length())
        return GridNoise.calibrate(
            self.mechanism,
            self.price,
            NoiseGrid.for_size(change, bits),
            change,
            change,
            rounding=2 * rows + 4,
        )

    def _exact_mean(self, numbers: Numbers) -> int:
        """Return the mean around the middle in steps of the noise's grid, in whole numbers."""
        fits = int((~np.isnan(numbers)).sum())
        total = int(self._centred.measure(numbers)[0])
        step = self._noise_of_mean().grid.step
        mean = total * self._centred.grid.step / max(fits, self._size or 1)
        low, high = (bound - self.domain.middle for bound in self._shown_bounds())
        return round(min(max(mean, low), high) / step)


def mean_sensitivity(domain: NumberDomain, size: int | None, rows: int = 1) -> float:
    """Return what `rows` rows change a mean by, of at least `size` rows: rows·(high − low)/size.

    Under both relations. A sum divided by the larger of count and size changes by half of that when
    a row comes in below the size, and above it by (high − low)/(count + 1).
    """
    return min(rows * domain.width / (size or 1), domain.width)
