"""Who belongs to a class: logistic regression by noisy steps (DP-SGD).

M. Abadi et al., Deep learning with differential privacy, CCS 2016. Each round draws people in
secret, cuts the length of each person's gradient to `clip`, adds them up with Gaussian noise and
takes a step. Cutting the length bounds what one person changes in the L2 norm. Laplace noise goes
by the L1 norm, which may be √d times as long, so Laplace noise scaled to `clip`, as deck 001 has
it, is not private.

With several rows a person, the gradient of a person is cut, not that of a row.
"""

from dataclasses import dataclass
from functools import lru_cache
from math import exp, floor, log10, sqrt
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.fields import (
    ColumnList,
    DeclaredValue,
    Field,
    NumberField,
    ValuesColumn,
)
from deid_portal.engine.differential.mechanisms.discrete_gaussian import draw_gaussian
from deid_portal.engine.differential.noise.forecast import CONFIDENCE, NoiseForecast
from deid_portal.engine.differential.noise.grid import NoiseGrid
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import factor_words, join
from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.differential.questions.made_up_rows import MadeUpRows
from deid_portal.engine.differential.selection.domains import (
    NumberDomain,
    ValuesDomain,
    domain_value_words,
)
from deid_portal.engine.differential.selection.features import feature_names, features_of
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.differential.setting import MOST_ROWS, PrivacySetting
from deid_portal.engine.documents import Place
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.progress import Progress
from deid_portal.engine.randomness.secret_sampling import draw_in_secret
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

MOST_WEIGHTS = 200
# Of the divergences; whole ones, for which the accountant never has to give up.
ORDERS = (*range(2, 65), 80, 96, 128, 192, 256, 512, 1024)
LEAST_NOISE, MOST_NOISE = 1e-2, 1e6


@dataclass(frozen=True)
class LogisticRegression(PrivateQuestion):
    target: str
    positive: str
    features: tuple[str, ...]
    size: int | None
    rounds: int
    share: float
    clip: float
    learning_rate: float

    kind: ClassVar[str] = "logistic-regression"
    label: ClassVar[str] = "Logistic regression"
    tile: ClassVar[str] = "How the odds of a value depend on other columns"
    needs_delta: ClassVar[bool] = True
    has_accuracy: ClassVar[bool] = False
    fields: ClassVar[tuple[Field, ...]] = (
        ValuesColumn(name="target", label="Column to explain"),
        DeclaredValue(name="positive", label="Value that counts as yes", of="target"),
        ColumnList(
            name="features", label="By these columns", holds=(NumberDomain, ValuesDomain), most=50
        ),
        NumberField(
            name="size",
            label="About how many rows there are; no secret",
            is_row_count=True,
            whole=True,
            minimum=1,
            maximum=MOST_ROWS,
        ),
        NumberField(name="rounds", label="Rounds", whole=True, minimum=1, maximum=2000, default=60),
        NumberField(
            name="share", label="Share drawn each round", minimum=0.0001, maximum=1, default=0.1
        ),
        NumberField(
            name="clip", label="Longest gradient", minimum=0.001, maximum=1000, default=1.0
        ),
        NumberField(
            name="learning_rate", label="Length of a step", minimum=1e-6, maximum=100, default=2.0
        ),
    )

    def check(self, place: Place) -> None:
        if self.setting.delta is None:
            place.refuse("this needs a delta in the privacy setting.")
        if self.size is None and self.setting.size is None:
            place["size"].refuse("say about how many rows there are; it must be no secret.")
        if self.target in self.features:
            place["features"].refuse("the column to explain cannot be among them.")
        if len(self._names) > MOST_WEIGHTS:
            place["features"].refuse(
                f"these columns have {len(self._names)} values together; at most {MOST_WEIGHTS} "
                f"are accepted."
            )

    @classmethod
    def parse(cls, place: Place, setting: PrivacySetting) -> Self:
        question = super().parse(place, setting)
        question.noise_multiplier()  # refuses what no noise can keep
        return question

    @property
    def price(self) -> PrivacyPrice:
        return PrivacyPrice(self.epsilon, self.setting.delta or 0.0)

    def noise_multiplier(self) -> float:
        """Return σ per length of a gradient, the least that keeps the price after all rounds."""
        price = half_price(self.price) if self.setting.replaces else self.price
        return find_noise_multiplier(price.epsilon, price.delta, self.share, self.rounds)

    def asks(self) -> str:
        return f"How do the odds of {self.target} = {self.positive} depend on {join(self.features)}"

    def forecast(self, confidence: float = CONFIDENCE, rows: int | None = None) -> NoiseForecast:
        scale = self.noise_multiplier() * self.clip
        batch = self.share * (self.size or self.setting.size or 1)
        return NoiseForecast(
            mechanism="gaussian",
            sensitivity=self.clip,
            sensitivity_words=(
                f"When {self.setting.unit_words} is added or taken away, the gradients of a round "
                f"change by a vector of length {self.clip:g} at most."
            ),
            scale=scale,
            half_width=None,
            confidence=confidence,
            sentence=(
                f"No interval can be said for odds: how far {self.rounds} noisy steps are from "
                f"where they lead to depends on the table. Each adds noise of {scale / batch:.3g} "
                f"to a mean gradient no longer than {self.clip:g}."
            ),
            rows=rows or self.known_rows,
            example=self._example(scale / batch, batch),
            assumptions=(
                "Numbers beyond the declared bounds count as the bound.",
                "Rows without one of the values are left out.",
            ),
        )

    def explain(self) -> str:
        twice = (
            " A person replaced is one taken away and one added, so half of ε is spent on either."
            if self.setting.replaces
            else ""
        )
        return (
            f"{self.rounds} rounds: each person is drawn with a chance of {self.share:g}, "
            f"gradients are cut to length {self.clip:g} and added up with N(0, σ²) noise, "
            f"σ = {self.noise_multiplier():.4g}·{self.clip:g}. Rényi accounting with secret draws "
            f"says that all rounds together cost the price.{twice} Gaussian noise, not Laplace: "
            f"cutting the length bounds the L2 norm, Laplace noise needs the L1 norm."
        )

    def ask(self, rows: SelectedRows, progress: Progress) -> NoisyResult:
        weights = self._learn(rows, progress)
        names = ["intercept", *self._names]
        found = {name: float(f"{weight:.6g}") for name, weight in zip(names, weights, strict=True)}
        odds = self._odds(weights)
        told = join([f"{one['what']}: {factor_words(one['factor'])} times" for one in odds])
        return NoisyResult(
            {"coefficients": found, "intervals": None},
            f"The odds of {self.target} = {self.positive} multiply by, {told}. "
            f"{self.forecast().sentence}",
            notes=(
                "Each coefficient is what the log odds grow by when its column goes from the "
                "middle of its bounds to the upper one, or has the value named.",
            ),
            details={"odds": odds},
        )

    def _odds(self, weights: Numbers) -> list[dict[str, Any]]:
        """Return in the units of the columns what the odds multiply by."""
        told: list[dict[str, Any]] = []
        place = 1
        for column in self.features:
            domain = self.setting.domains[column]
            if isinstance(domain, NumberDomain):
                step = round_step(domain.width)
                factor = exp(_bounded(float(weights[place]) * step / (domain.width / 2)))
                told.append({"what": f"{step:g} more {column}", "factor": float(f"{factor:.6g}")})
                place += 1
                continue
            first, *others = self.setting.values_of(column).values
            for value in others:
                what = (
                    f"{column} {domain_value_words(value)} instead of {domain_value_words(first)}"
                )
                factor = exp(_bounded(float(weights[place])))
                told.append({"what": what, "factor": float(f"{factor:.6g}")})
                place += 1
        return told

    def _example(self, noise: float, batch: float) -> str:
        """Say between what odds come out of a made-up table in which nothing matters."""
        domains = [self.setting.domains[column] for column in self.features]
        values = [len(one.values) if isinstance(one, ValuesDomain) else 0 for one in domains]
        missed = (1 - self.share) / batch
        made_up = MadeUpRows(tuple(values), self.rounds, self.clip, self.learning_rate)
        off = exp(_bounded(made_up.spread(noise, missed)))
        return (
            f"In a made-up table, spread evenly over what was declared, in which nothing matters, "
            f"19 of 20 odds from the middle of a column to its end come out between "
            f"{factor_words(1 / off)} and {factor_words(off)} times."
        )

    @property
    def depends_on_rows(self) -> bool:
        return True

    def _learn(self, rows: SelectedRows, progress: Progress) -> Numbers:
        inputs, is_positive, unit, units = self._prepare(rows)
        batch = self.share * (self.size or self.setting.size or 1)
        noise = NoisyGradients(self.clip, self.noise_multiplier(), inputs.shape[1])
        weights, total = np.zeros(inputs.shape[1]), np.zeros(inputs.shape[1])
        for done in range(self.rounds):
            progress.report(done, self.rounds, "learn")
            drawn = draw_in_secret(units, self.share)[unit]
            summed = noise.add_up(inputs[drawn], is_positive[drawn], unit[drawn], weights)
            weights = weights - self.learning_rate * summed / batch
            # The mean of the later weights is free and has less noise than the last.
            total += weights if done >= self.rounds // 2 else 0.0
        return np.asarray(total / (self.rounds - self.rounds // 2), np.float64)

    def _prepare(self, rows: SelectedRows) -> tuple[Numbers, Numbers, Counts, int]:
        """Return features, classes and units of the rows that take part, and how many units."""
        inputs = features_of(rows, self.features)
        places = rows.places(self.target)
        inside = rows.chosen & (places >= 0) & ~np.isnan(inputs).any(axis=1)
        wanted = self.setting.values_of(self.target).values.index(self.positive)
        person = self.setting.person
        if person is None:
            unit, units = np.arange(rows.table.rows), rows.table.rows
        else:
            column = rows.table[person.column]
            unit, units = column.codes.astype(np.int64), len(column.values)
        return inputs[inside], (places == wanted)[inside].astype(np.float64), unit[inside], units

    @property
    def _names(self) -> list[str]:
        return feature_names(self.setting, self.features)


@dataclass(frozen=True)
class NoisyGradients:
    """Adds up gradients cut to a length, in whole numbers, with noise."""

    clip: float
    multiplier: float
    weights: int

    @property
    def grid(self) -> NoiseGrid:
        return NoiseGrid.for_size(self.clip)

    @property
    def length(self) -> float:
        """Return how many steps long a rounded gradient may be."""
        return self.clip / self.grid.step * (1 + 1e-9) + sqrt(self.weights)

    def measure(
        self, inputs: Numbers, is_positive: Numbers, unit: Counts, weights: Numbers
    ) -> Counts:
        """Return the sum of the cut gradients, in steps of the grid. Not to be shown."""
        chances = 1 / (1 + np.exp(-np.clip(inputs @ weights, -500, 500)))
        gradients = (chances - is_positive)[:, np.newaxis] * inputs
        _, owner = np.unique(unit, return_inverse=True)
        owned = np.zeros((int(owner.max()) + 1 if len(owner) else 0, inputs.shape[1]))
        np.add.at(owned, owner, gradients)
        return np.asarray(self.grid.encode(clip_lengths(owned, self.clip)).sum(axis=0), np.int64)

    def add_up(
        self, inputs: Numbers, is_positive: Numbers, unit: Counts, weights: Numbers
    ) -> Numbers:
        exact = self.measure(inputs, is_positive, unit, weights)
        return self.release(exact)

    def release(self, exact: Counts) -> Numbers:
        noisy = draw_gaussian(self.multiplier * self.length)(exact.tolist())
        return np.array(noisy, np.float64) * self.grid.step


def clip_lengths(vectors: Numbers, longest: float) -> Numbers:
    """Return vectors, one per row, made no longer than `longest`."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors * np.minimum(1.0, longest / np.maximum(lengths, 1e-300)), np.float64)


def half_price(price: PrivacyPrice) -> PrivacyPrice:
    """Return a price for neighbors by adding whose double, (2ε, (1 + e^ε)δ), is this one."""
    half = price.epsilon / 2
    return PrivacyPrice(half, price.delta / (1 + exp(half)))


def round_step(width: float) -> float:
    """Return 1, 2 or 5 times a power of ten, near a tenth of a width, to count odds by."""
    size = 10.0 ** floor(log10(width / 7))
    return next(size * part for part in (5, 2, 1) if size * part <= width / 7)


def _bounded(log_odds: float) -> float:
    return min(max(log_odds, -300.0), 300.0)


@lru_cache(maxsize=256)
def find_noise_multiplier(epsilon: float, delta: float, share: float, rounds: int) -> float:
    """Return the least noise for so many rounds with Poisson draws, by Rényi accounting."""
    import dp_accounting
    from dp_accounting.rdp import RdpAccountant

    def event(noise: float) -> Any:
        drawn = dp_accounting.PoissonSampledDpEvent(share, dp_accounting.GaussianDpEvent(noise))
        return dp_accounting.SelfComposedDpEvent(drawn, rounds)

    bracket = dp_accounting.ExplicitBracketInterval(LEAST_NOISE, MOST_NOISE)
    try:
        found = dp_accounting.calibrate_dp_mechanism(
            lambda: RdpAccountant(ORDERS), event, epsilon, delta, bracket
        )
    except ValueError:
        raise InvalidPlan(
            "epsilon: no noise keeps this promise over all rounds; choose a larger epsilon."
        ) from None
    return float(found)
