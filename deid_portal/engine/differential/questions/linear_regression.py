"""A straight line through the rows: least squares from noisy sums of products.

With z = (1, features, target), each between −1 and 1, the sums of all products zᵢ·zⱼ are bought
with noise; the coefficients are made of them for free (D. Vu, A. Slavković, Differential privacy
for clinical trial data, ICDM workshops 2009; the ridge as in O. Sheffet, ICML 2017).

Intervals are free, too. The true coefficients β solve Aβ = c for the exact sums. With noisy ones,
what is left, r = ĉ − Âβ, is noise alone: in each line the noises of different sums, weighted by 1
and −β. A sum of Laplace noises so weighted lies within the half width of one of them times
√(1 + |β|²) at least as surely as that one alone (tested; exact for Gaussian noise). So
β − β̂ = −Â⁻¹r for β̂ = Â⁻¹ĉ, and all of it is bounded as soon as |β| is, which follows from itself
where the noise is not too large.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.differential.fields import ColumnList, Field, NumberColumn
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.grid import NoiseGrid
from deid_portal.engine.differential.noise.noise import FOR_NUMBERS, GridNoise
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import join, rounded_outwards, width_words
from deid_portal.engine.differential.questions.centred import shared_confidence
from deid_portal.engine.differential.questions.noisy_question import NoisyQuestion
from deid_portal.engine.differential.questions.sum import CLAMPED
from deid_portal.engine.differential.selection.domains import NumberDomain
from deid_portal.engine.differential.selection.features import scaled
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

MOST_FEATURES = 20
# Variance of scaled columns, and length of the coefficients, of what is taken for an example: a
# bell with three standard deviations to each bound, and numbers spread evenly between the bounds.
EXAMPLES = ((1 / 9, 1.0), (1 / 3, 0.0))


@dataclass(frozen=True)
class LinearRegression(NoisyQuestion):
    target: str
    features: tuple[str, ...]

    kind: ClassVar[str] = "linear-regression"
    label: ClassVar[str] = "Linear regression"
    tile: ClassVar[str] = "How a number grows with others"
    has_equal_intervals: ClassVar[bool] = False
    fields: ClassVar[tuple[Field, ...]] = (
        NumberColumn(name="target", label="Number to explain"),
        ColumnList(
            name="features", label="By these numbers", holds=(NumberDomain,), most=MOST_FEATURES
        ),
        FOR_NUMBERS,
    )
    has_accuracy: ClassVar[bool] = False

    def check(self, place: Place) -> None:
        super().check(place)
        if self.target in self.features:
            place["features"].refuse("the number to explain cannot be among them.")

    def noises(self) -> tuple[GridNoise, ...]:
        rows = self.setting.rows_per_person
        l1, l2 = (rows * change for change in self._change())
        products = len(self._pairs[0])
        return (
            GridNoise.calibrate(
                self.mechanism, self.price, self._grid, l1, l2, rounding=rows * products
            ),
        )

    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        columns = [scaled(rows, name) for name in (*self.features, self.target)]
        all_parts = np.column_stack([np.ones(rows.table.rows), *columns])
        inside = rows.chosen & ~np.isnan(all_parts).any(axis=1)
        parts = np.where(inside[:, np.newaxis], all_parts, 0.0)
        first, second = self._pairs
        sums = [
            self._grid.encode(parts[:, i] * parts[:, j]).sum()
            for i, j in zip(first, second, strict=True)
        ]
        return (np.array(sums, np.int64),)

    def width(self, confidence: float, rows: int | None) -> float | None:
        return None

    @property
    def depends_on_rows(self) -> bool:
        return True

    def expects(self, width: float | None, confidence: float) -> str:
        return (
            "How wide the intervals are follows from the answer: the more rows there are, and the "
            "further they lie apart in what explains, the narrower."
        )

    def example(self, confidence: float, rows: int | None) -> str:
        """Say how wide intervals would be, of two made-up tables with the declared bounds."""
        if rows is None:
            return ""
        wide, narrow = (self._example_widths(confidence, rows, *one) for one in EXAMPLES)
        if narrow is None:
            return (
                f"Among {rows:,} rows spread evenly over the declared bounds no interval could be "
                f"said: the noise allows any line."
            )
        told = [
            f"{name} ±{width_words(low)}"
            + (f" to ±{width_words(wide[place])}" if wide is not None else " or more")
            for place, (name, low) in enumerate(zip(self.features, narrow, strict=True))
        ]
        return (
            f"Among {rows:,} rows that lie anywhere from evenly spread over the declared bounds to "
            f"like a bell around their middle, {self.target} for one more of: {join(told)}."
        )

    def _example_widths(
        self, confidence: float, rows: int, variance: float, length: float
    ) -> list[float] | None:
        """Return half widths of slopes where scaled columns are unrelated and vary so much."""
        size = len(self.features) + 1
        products = np.diag([1.0, *[variance] * len(self.features), 1.0]) * rows
        products[0, -1] = products[-1, 0] = length * rows
        each = self.noises()[0].half_width(shared_confidence(confidence, size))
        line = FittedLine.fit(products, each)
        if line is None:
            return None
        return [float(width) for width in line.half_widths(self._own_units[0])[1:]]

    def asks(self) -> str:
        return f"How does {self.target} grow with {join(self.features)}"

    def changes(self) -> str:
        return f"the sums of products change by at most {self.noises()[0].sensitivity:.6g} together"

    def assumptions(self) -> tuple[str, ...]:
        return (CLAMPED, "Rows without one of the numbers are left out.")

    def explain(self) -> str:
        return (
            f"Every column is moved and shrunk to −1…1 by its bounds; all {len(self._pairs[0])} "
            f"sums of products of two of them (and of 1) get noise: {self.formula()}, with "
            f"Δ = {self.noises()[0].sensitivity:.6g}. Then (XᵀX)⁻¹Xᵀy, with intervals of all lines "
            f"that the noise allows; where it allows too many, (XᵀX + λ)⁻¹Xᵀy, λ as large as the "
            f"noise, without."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        size = len(self.features) + 2
        products = np.zeros((size, size))
        products[self._pairs] = noisy[0]
        products = products + np.triu(products, 1).T
        noise = self.noises()[0]
        each = noise.half_width(shared_confidence(CONFIDENCE, size - 1))
        line = FittedLine.fit(products, each)
        if line is None:
            found = _solve(products, noise.scale * sqrt(size))
            return NoisyResult(
                {"coefficients": self._named(self._to_own_units(found)), "intervals": None},
                "A line made of noisy sums. The noise is too large, or the rows are too few, for "
                "intervals: any line is possible. A larger ε or fewer columns may help.",
                details={"across": self._across(self._to_own_units(found))},
            )
        weights, _ = self._own_units
        own, widths = self._to_own_units(line.coefficients), line.half_widths(weights)
        intervals = {
            name: rounded_outwards(float(at - width), float(at + width), float(width))
            for name, at, width in zip(self._names, own, widths, strict=True)
        }
        return NoisyResult(
            {"coefficients": self._named(own), "intervals": intervals},
            "A line made of noisy sums; all of its true coefficients lie within their intervals, "
            "95 % sure.",
            details={"across": self._across(own, widths)},
        )

    def _across(self, own: Numbers, widths: Numbers | None = None) -> dict[str, Any]:
        """Return what the target changes by from the lowest to the highest of each column.

        Unlike coefficients per unit these can be compared with each other.
        """
        told = {}
        for place, name in enumerate(self.features, start=1):
            reach = self.setting.bounds_of(name).width
            interval = None
            if widths is not None:
                at, width = float(own[place] * reach), float(widths[place] * reach)
                interval = rounded_outwards(at - width, at + width, width)
            told[name] = {"value": float(f"{own[place] * reach:.6g}"), "interval": interval}
        return told

    @property
    def _pairs(self) -> tuple[Counts, Counts]:
        first, second = np.triu_indices(len(self.features) + 2)
        return first.astype(np.int64), second.astype(np.int64)

    @property
    def _grid(self) -> NoiseGrid:
        return NoiseGrid.for_size(1.0)

    def _change(self) -> tuple[float, float]:
        """Return the L1 and L2 sensitivity of all products together, for one row.

        A row adds at most 1 to each of p = (k + 1)(k + 2)/2 products of k columns and 1; so it is
        in place of one that is left out. In place of another, z for z′: with x = |z − z′| and
        y = |z + z′|, x + y ≤ 2 in every column, a product changes by at most (xᵢyⱼ + yᵢxⱼ)/2. All
        of them come to (Σx·Σy + Σxy)/2, which is largest for equal x and then k(k + 2)²/2(k + 1),
        below p. Their squares come to at most (|x|²|y|² + (Σxy)²)/4 + Σx²y²/2, which is largest
        where every xy = 0 and then (k + 1)².
        """
        columns, products = len(self.features) + 2, len(self._pairs[0])
        return products, columns if self.setting.replaces else sqrt(products)

    @property
    def _own_units(self) -> tuple[Numbers, Numbers]:
        """Return what to multiply coefficients of −1…1 by, and what to add, for own units."""
        target = self.setting.bounds_of(self.target)
        domains = [self.setting.bounds_of(name) for name in self.features]
        slopes = np.array([target.width / domain.width for domain in domains])
        weights = np.diag([target.width / 2, *slopes])
        weights[0, 1:] = -slopes * [domain.middle for domain in domains]
        return weights, np.array([target.middle, *np.zeros(len(domains))])

    def _to_own_units(self, found: Numbers) -> Numbers:
        weights, added = self._own_units
        return np.asarray(weights @ found + added, np.float64)

    @property
    def _names(self) -> tuple[str, ...]:
        return ("intercept", *self.features)

    def _named(self, own: Numbers) -> dict[str, float]:
        return {name: float(f"{one:.6g}") for name, one in zip(self._names, own, strict=True)}


@dataclass(frozen=True, eq=False)
class FittedLine:
    """Coefficients β̂ = Â⁻¹ĉ of noisy sums, and how far noise may have moved what they solve.

    `reach` bounds every line of ĉ − Âβ for the true β.
    """

    coefficients: Numbers
    inverse: Numbers
    reach: float

    @classmethod
    def fit(cls, products: Numbers, each: float) -> "FittedLine | None":
        """Return the line where noise of `each` in a sum leaves one, None where it may be any.

        With u = √(1 + |β|²): |β − β̂| ≤ ρu for ρ = each·‖Â⁻¹‖, so u² ≤ 1 + (|β̂| + ρu)², which
        bounds u where ρ < 1.
        """
        try:
            inverse = np.asarray(np.linalg.inv(products[:-1, :-1]), np.float64)
        except np.linalg.LinAlgError:
            return None
        found = inverse @ products[:-1, -1]
        moved = each * _norm_for_lines(inverse)
        if not moved < 1:
            return None
        length, left = float(np.linalg.norm(found)), 1 - moved**2
        most = (length * moved + sqrt((length * moved) ** 2 + left * (1 + length**2))) / left
        return cls(found, inverse, each * most)

    def half_widths(self, weights: Numbers) -> Numbers:
        """Return how far combinations of the coefficients may be off."""
        return np.asarray(np.abs(weights @ self.inverse).sum(axis=1) * self.reach, np.float64)


def _norm_for_lines(inverse: Numbers) -> float:
    """Return how long the image of a vector may be that is no longer than 1 in any line."""
    by_lines = np.linalg.norm(np.abs(inverse).sum(axis=1))
    by_length = np.linalg.norm(inverse, 2) * sqrt(len(inverse))
    return float(min(by_lines, by_length))


def _solve(products: Numbers, ridge: float) -> Numbers:
    """Return the coefficients, the matrix made one of a sum of squares again."""
    values, vectors = np.linalg.eigh(products[:-1, :-1])
    lifted = (vectors * np.maximum(values, 0.0)) @ vectors.T + ridge * np.eye(len(values))
    return np.asarray(np.linalg.solve(lifted, products[:-1, -1]), np.float64)
