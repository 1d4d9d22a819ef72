"""Questions whose answer is one of several candidates fixed beforehand, chosen by a score."""

from abc import abstractmethod
from dataclasses import dataclass

from deid_portal.engine.differential.fields import OneOf
from deid_portal.engine.differential.mechanisms.exponential import CHOOSING, NoisyMax
from deid_portal.engine.differential.noise.forecast import CONFIDENCE, NoiseForecast
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.question import PrivateQuestion
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.table import Counts

HOW = OneOf(
    name="mechanism",
    label="Choice",
    choices=tuple(CHOOSING),
    labels=("Report noisy max", "Exponential mechanism"),
)
FORMULAS = {
    "noisy-max": "the candidate with the largest score + Exp(2Δ/ε) noise",
    "exponential": "P[candidate] ∝ e^(ε·score/2Δ)",
}


@dataclass(frozen=True)
class ChoosingQuestion(PrivateQuestion):
    mechanism: str

    @abstractmethod
    def choosers(self) -> tuple[NoisyMax, ...]:
        """Return the mechanism of each choice; together they cost the price."""

    @abstractmethod
    def score(self, rows: SelectedRows) -> tuple[Counts, ...]:
        """Return for each choice the exact scores of the candidates. Not to be shown."""

    @abstractmethod
    def read(self, chosen: tuple[int, ...]) -> NoisyResult:
        """Return what may be shown, made of the places chosen."""

    @property
    @abstractmethod
    def candidates(self) -> int: ...

    def width(self, confidence: float, rows: int | None) -> float | None:
        """Return how far the choice falls short at most if so many rows fit, None where unknown."""
        return None

    def example(self, confidence: float, rows: int | None) -> str:
        """Say what would come out for a made-up table; of the declared bounds alone."""
        return ""

    @abstractmethod
    def falls_short(self, confidence: float, rows: int | None = None) -> str:
        """Describe the accuracy of the choice, in place of an interval."""

    @abstractmethod
    def changes(self) -> str: ...

    def ask(self, rows: SelectedRows, progress: Progress) -> NoisyResult:
        pairs = zip(self.choosers(), self.score(rows), strict=True)
        return self.read(tuple(chooser.choose(scores) for chooser, scores in pairs))

    def chooser(self, sensitivity: int, epsilon: float, monotonic: bool = False) -> NoisyMax:
        return CHOOSING[self.mechanism](sensitivity, epsilon, monotonic)

    def forecast(self, confidence: float = CONFIDENCE, rows: int | None = None) -> NoiseForecast:
        supposed = (rows or self.known_rows) if self.depends_on_rows else None
        chooser = self.choosers()[0]
        return NoiseForecast(
            mechanism=chooser.name,
            sensitivity=self.sensitivity,
            sensitivity_words=f"When {self.setting.neighbour_words}, {self.changes()}.",
            scale=self.sensitivity * chooser.scale / chooser.sensitivity,
            half_width=self.width(confidence, supposed),
            confidence=confidence,
            sentence=self.falls_short(confidence, supposed),
            assumptions=self.assumptions(),
            rows=supposed,
            example=self.example(confidence, supposed),
        )

    @property
    @abstractmethod
    def sensitivity(self) -> float:
        """Return what neighbors change a score by, in rows."""

    def assumptions(self) -> tuple[str, ...]:
        return ()

    def formula(self) -> str:
        return FORMULAS[self.mechanism]
