"""Questions answered from one or more sums over rows, each with noise.

`measure()` returns the exact whole numbers, `noises()` the noise of each, and `read()` makes the
answer of the noisy numbers. Only `read()` decides what is shown, and it never sees an exact number.
"""

from abc import abstractmethod
from dataclasses import dataclass

from deid_portal.engine.differential.budget.price import PrivacyPrice
from deid_portal.engine.differential.noise.forecast import CONFIDENCE, NoiseForecast
from deid_portal.engine.differential.noise.noise import FORMULAS, GAUSSIAN, GridNoise
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import percent_words, width_words
from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class NoisyQuestion(PrivateQuestion):
    mechanism: str

    @abstractmethod
    def noises(self) -> tuple[GridNoise, ...]:
        """Return the noise of each sum; together they cost the price."""

    @abstractmethod
    def measure(self, rows: SelectedRows) -> tuple[Counts, ...]:
        """Return the exact sums, in steps of the grids of the noises. Not to be shown."""

    @abstractmethod
    def read(self, noisy: tuple[Numbers, ...]) -> NoisyResult:
        """Return what may be shown, made of noisy numbers only."""

    @abstractmethod
    def changes(self) -> str:
        """Say what changes by how much: "the count changes by at most 1"."""

    @property
    def price(self) -> PrivacyPrice:
        delta = self.setting.delta if self.mechanism == GAUSSIAN else None
        return PrivacyPrice(self.epsilon, delta or 0.0)

    def check(self, place: Place) -> None:
        if self.mechanism == GAUSSIAN and self.setting.delta is None:
            place["mechanism"].refuse("Gaussian noise needs a delta in the privacy setting.")

    def ask(self, rows: SelectedRows, progress: Progress) -> NoisyResult:
        pairs = zip(self.noises(), self.measure(rows), strict=True)
        return self.read(tuple(noise.release(exact) for noise, exact in pairs))

    def width(self, confidence: float, rows: int | None) -> float | None:
        """Return how far the answer is off at most if so many rows fit, None where unknown."""
        return self.noises()[0].half_width(confidence)

    def expects(self, width: float | None, confidence: float) -> str:
        """Say what is known of the answer beforehand."""
        sure = percent_words(confidence)
        if width is None:
            return "How near the answer will be to the true one depends on how many rows fit."
        return f"The answer will be within ±{width_words(width)} of the true one, {sure} sure."

    def example(self, confidence: float, rows: int | None) -> str:
        """Say what would come out for a made-up table; of the declared bounds alone."""
        return ""

    def assumptions(self) -> tuple[str, ...]:
        return ()

    def forecast(self, confidence: float = CONFIDENCE, rows: int | None = None) -> NoiseForecast:
        noise = self.noises()[0]
        supposed = (rows or self.known_rows) if self.depends_on_rows else None
        width = self.width(confidence, supposed)
        return NoiseForecast(
            mechanism=noise.kind,
            sensitivity=noise.sensitivity,
            sensitivity_words=f"When {self.setting.neighbour_words}, {self.changes()}.",
            scale=noise.scale,
            half_width=width,
            confidence=confidence,
            sentence=self.expects(width, confidence),
            assumptions=self.assumptions(),
            rows=supposed,
            example=self.example(confidence, supposed),
        )

    def formula(self) -> str:
        return FORMULAS[self.mechanism]
