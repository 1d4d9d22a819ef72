"""The most common value of a column."""

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import Field, ValuesColumn
from deid_portal.engine.differential.mechanisms.exponential import NoisyMax
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import percent_words
from deid_portal.engine.differential.questions.choosing_question import HOW, ChoosingQuestion
from deid_portal.engine.differential.selection.domains import domain_value_words
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class MostCommon(ChoosingQuestion):
    """The score of a value is its count; somebody more raises all scores or none."""

    column: str

    kind: ClassVar[str] = "most-common"
    label: ClassVar[str] = "Most common value"
    tile: ClassVar[str] = "Which value of a column occurs most often"
    fields: ClassVar[tuple[Field, ...]] = (ValuesColumn(), HOW)
    answer_unit: ClassVar[str] = "people"
    width_is_distance: ClassVar[bool] = False

    def choosers(self) -> tuple[NoisyMax, ...]:
        rows = self.setting.rows_per_person
        return (self.chooser(rows, self.epsilon, monotonic=not self.setting.replaces),)

    def score(self, rows: SelectedRows) -> tuple[Counts, ...]:
        places = rows.places(self.column)
        return (np.bincount(places[places >= 0], minlength=self.candidates).astype(np.int64),)

    @property
    def candidates(self) -> int:
        return len(self._values)

    @property
    def sensitivity(self) -> float:
        return self.setting.rows_per_person

    def changes(self) -> str:
        return f"each count changes by at most {self.setting.rows_per_person}"

    def behind(self, confidence: float) -> int:
        """Return how many rows the value named may have less than the most common one."""
        short = self.choosers()[0].falls_short(self.candidates - 1, 1 - confidence)
        return max(ceil(short) - 1, 0)  # whole rows, and fewer than that

    def width(self, confidence: float, rows: int | None) -> float:
        return self.behind(confidence)

    def falls_short(self, confidence: float, rows: int | None = None) -> str:
        sure = percent_words(confidence)
        rows = self.behind(confidence)
        if not rows:
            return f"No other value is more common, {sure} sure."
        return (
            f"No other value has over {rows} row{'s' if rows > 1 else ''} more than the one named, "
            f"{sure} sure."
        )

    def asks(self) -> str:
        return f"Which value of {self.column} is the most common"

    def explain(self) -> str:
        return (
            f"Each of the {self.candidates} declared values is scored by how often it occurs, and "
            f"one is chosen: {self.formula()}, Δ = {self.sensitivity:g} (half the noise where "
            f"neighbors are added or taken away, since no count falls when another rises)."
        )

    def read(self, chosen: tuple[int, ...]) -> NoisyResult:
        value = self._values[chosen[0]]
        return NoisyResult(
            {"value": value, "interval": None},
            f"{domain_value_words(value)} seems the most common. {self.falls_short(CONFIDENCE)}",
            details={"behind": [0, self.behind(CONFIDENCE)]},
        )

    @property
    def _values(self) -> tuple[str | None, ...]:
        return self.setting.values_of(self.column).values
