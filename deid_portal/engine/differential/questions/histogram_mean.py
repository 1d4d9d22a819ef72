"""The mean of a column, made of a noisy histogram: Σ count·middle / Σ count (deck 001).

Only the histogram has a price; the mean is post-processing. Negative counts are set to zero first,
and if all are zero the answer is the middle of the bounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noise import FOR_COUNTS
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import (
    rounded,
    rounded_outwards,
    width_words,
)
from deid_portal.engine.differential.questions.centred import shared_confidence
from deid_portal.engine.differential.questions.histogram import BUCKET_FIELDS, Histogram
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.questions.sum import CLAMPED, GAPS
from deid_portal.engine.differential.selection.buckets import middles
from deid_portal.engine.table.numbers import Numbers


@dataclass(frozen=True)
class HistogramMean(Histogram):
    kind: ClassVar[str] = "histogram-mean"
    label: ClassVar[str] = "Mean from a histogram"
    tile: ClassVar[str] = "A histogram, and the mean that follows from it for free"
    fields: ClassVar[tuple[Field, ...]] = (*BUCKET_FIELDS, FOR_COUNTS)
    answer_unit: ClassVar[str] = ""

    @property
    def depends_on_rows(self) -> bool:
        return True

    def width(self, confidence: float, rows: int | None) -> float | None:
        """Counts that are off by w each move the mean m by Σ w·|edge − m| / (rows − Σ 2w) at most.

        Twice w, because the interval holds what is w away from counts that are w off. Middles in
        place of numbers add half a bucket.
        """
        if rows is None:
            return None
        each = self.noises()[0].half_width(shared_confidence(confidence, self.cells))
        fewest = rows - 2 * self.cells * each
        if fewest < 1:
            return self.domain.width
        edges = np.array(self.all_edges)
        apart = max(float((edges[1:] - edges[0]).sum()), float((edges[-1] - edges[:-1]).sum()))
        bucket = float(np.diff(edges).max())
        return min(each * apart / fewest + bucket / 2, self.domain.width)

    def expects(self, width: float | None, confidence: float) -> str:
        each = self.noises()[0].half_width(confidence)
        bucket = float(np.diff(self.all_edges).max())
        return (
            f"{NoisyQuestion.expects(self, width, confidence)} Each count will be within "
            f"±{width_words(each)}; middles of buckets in place of numbers move the mean by "
            f"{width_words(bucket / 2)} at most."
        )

    def asks(self) -> str:
        return f"What is the mean of {self.column}, from a histogram of {self.cells} buckets"

    def assumptions(self) -> tuple[str, ...]:
        return (CLAMPED, GAPS)

    def explain(self) -> str:
        return f"{super().explain()} The mean is Σ count·middle / Σ count, counts below 0 as 0."

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        counts, width = noisy[0], self.noises()[0]
        histogram = super().read(noisy)
        value = mean_of_counts(counts, middles(self.all_edges), self.domain.middle)
        each = width.half_width(shared_confidence(CONFIDENCE, self.cells))
        low, high = self._ends(np.maximum(counts - each, 0), np.maximum(counts + each, 0))
        half = max((high - low) / 2, self.domain.width * 1e-9)
        interval = rounded_outwards(low, high, half)
        return NoisyResult(
            {"value": rounded(value, half), "interval": interval},
            f"About {rounded(value, half)}; the true mean lies from {interval[0]} to "
            f"{interval[1]}, 95 % sure.",
            details={"histogram": histogram.result},
        )

    def _ends(self, fewest: Numbers, most: Numbers) -> tuple[float, float]:
        """Return the lowest and the highest mean of counts between two, anywhere in the buckets."""
        edges = np.array(self.all_edges)
        low = _lowest_mean(fewest, most, edges[:-1], self.domain.low)
        high = -_lowest_mean(fewest[::-1], most[::-1], -edges[:0:-1], -self.domain.high)
        return low, high


def mean_of_counts(counts: Numbers, places: Sequence[float] | Numbers, nothing: float) -> float:
    """Return Σ count·place / Σ count, counts below zero as zero; `nothing` where none is left."""
    weights = np.maximum(counts, 0)
    total = float(weights.sum())
    return float(weights @ np.asarray(places) / total) if total > 0 else nothing


def _lowest_mean(fewest: Numbers, most: Numbers, places: Numbers, nothing: float) -> float:
    """Return the lowest mean: as many as possible at the low places, as few as needed above.

    The lowest is reached by counts that are largest up to some place and smallest beyond it.
    """
    steps = range(len(places) + 1)
    tried = (np.concatenate([most[:step], fewest[step:]]) for step in steps)
    means = [float(one @ places / one.sum()) for one in tried if one.sum() > 0]
    return min(means, default=nothing)
