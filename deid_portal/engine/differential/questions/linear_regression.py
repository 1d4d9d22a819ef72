"""A straight line through the rows: least squares from noisy sums of products.

With z = (1, features, target), each between −1 and 1, the sums of all products zᵢ·zⱼ are bought
with noise; the coefficients are made of them for free (D. Vu, A. Slavković, Differential privacy
for clinical trial data, ICDM workshops 2009; the ridge as in O. Sheffet, ICML 2017).
"""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.domains import NumberDomain
from deid_portal.engine.differential.features import scaled
from deid_portal.engine.differential.fields import ColumnList, Field, NumberColumn
from deid_portal.engine.differential.forecast import CONFIDENCE
from deid_portal.engine.differential.grid import Grid
from deid_portal.engine.differential.noise import FOR_NUMBERS, Noise
from deid_portal.engine.differential.questions.noisy import NoisyQuestion
from deid_portal.engine.differential.questions.sum import CLAMPED
from deid_portal.engine.differential.reading import Reading
from deid_portal.engine.differential.rows import Rows
from deid_portal.engine.differential.showing import join
from deid_portal.engine.documents import Place
from deid_portal.engine.numbers import Numbers
from deid_portal.engine.table import Counts

MOST_FEATURES = 20


@dataclass(frozen=True)
class LinearRegression(NoisyQuestion):
    target: str
    features: tuple[str, ...]

    kind: ClassVar[str] = "linear-regression"
    label: ClassVar[str] = "Linear regression"
    tile: ClassVar[str] = "How a number grows with others"
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

    def noises(self) -> tuple[Noise, ...]:
        rows = self.setting.rows_per_person
        l1, l2 = (rows * change for change in self._change())
        products = len(self._pairs[0])
        return (
            Noise.calibrate(
                self.mechanism, self.price, self._grid, l1, l2, rounding=rows * products
            ),
        )

    def measure(self, rows: Rows) -> tuple[Counts, ...]:
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

    def width(self, confidence: float) -> float | None:
        return None

    def expects(self, width: float | None, confidence: float) -> str:
        each = self.noises()[0].half_width(confidence)
        return (
            f"No interval can be said for coefficients; each of the {len(self._pairs[0])} sums of "
            f"products behind them is within ±{each:.4g}, so with n rows the noise moves what the "
            f"line is drawn through by about {each:.4g}/n of the columns' half widths."
        )

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
            f"Δ = {self.noises()[0].sensitivity:.6g}. Then (XᵀX + λ)⁻¹Xᵀy, λ as large as the noise."
        )

    def read(self, noisy: tuple[Numbers, ...]) -> Reading:
        size = len(self.features) + 2
        products = np.zeros((size, size))
        products[self._pairs] = noisy[0]
        products = products + np.triu(products, 1).T
        noise = self.noises()[0]
        found = _solve(products, noise.scale * sqrt(size))
        return Reading(
            {"coefficients": self._in_own_units(found), "intervals": None},
            f"A line made of noisy sums. {self.expects(None, CONFIDENCE)}",
        )

    @property
    def _pairs(self) -> tuple[Counts, Counts]:
        first, second = np.triu_indices(len(self.features) + 2)
        return first.astype(np.int64), second.astype(np.int64)

    @property
    def _grid(self) -> Grid:
        return Grid.for_size(1.0)

    def _change(self) -> tuple[float, float]:
        """Return the L1 and L2 sensitivity of all products together, for one row.

        A row adds at most 1 to each. In place of another it changes a product of two by 2 at most,
        a square by 1, and the number of rows not at all.
        """
        products, squares = len(self._pairs[0]), len(self.features) + 1
        if not self.setting.replaces:
            return products, sqrt(products)
        crossed = products - squares - 1
        return 2 * crossed + squares, sqrt(4 * crossed + squares)

    def _in_own_units(self, found: Numbers) -> dict[str, float]:
        target = self.setting.bounds_of(self.target)
        slopes, intercept = {}, target.middle + float(found[0]) * target.width / 2
        for name, slope in zip(self.features, found[1:], strict=True):
            domain = self.setting.bounds_of(name)
            own = float(slope) * target.width / domain.width
            slopes[name] = float(f"{own:.6g}")
            intercept -= own * domain.middle
        return {"intercept": float(f"{intercept:.6g}"), **slopes}


def _solve(products: Numbers, ridge: float) -> Numbers:
    """Return the coefficients, the matrix made one of a sum of squares again."""
    values, vectors = np.linalg.eigh(products[:-1, :-1])
    lifted = (vectors * np.maximum(values, 0.0)) @ vectors.T + ridge * np.eye(len(values))
    return np.asarray(np.linalg.solve(lifted, products[:-1, -1]), np.float64)
