"""Quantiles of a column, chosen from candidates fixed beforehand.

The median itself may jump from one bound to the other when one row changes, so noise on it is
useless; how far a candidate's rank is from the wanted one changes by one row only.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.domains import NumberDomain, plain_number
from deid_portal.engine.differential.fields import Field, NumberColumn, NumberField, NumberList
from deid_portal.engine.differential.forecast import CONFIDENCE
from deid_portal.engine.differential.mechanisms.choosing import NoisyMax
from deid_portal.engine.differential.questions.choosing import HOW, ChoosingQuestion
from deid_portal.engine.differential.questions.sum import CLAMPED, GAPS
from deid_portal.engine.differential.reading import Reading
from deid_portal.engine.differential.rows import Rows
from deid_portal.engine.differential.showing import percent_words
from deid_portal.engine.documents import Place
from deid_portal.engine.numbers import Numbers
from deid_portal.engine.table import Counts

MOST_CANDIDATES = 10_000
USUAL_CANDIDATES = 1001
PARTS = 1000  # quantiles are told apart to a thousandth

STEP = NumberField(
    name="step",
    label="Distance of the numbers that may be the answer",
    help="Without it: 1 for whole bounds up to 1000 apart, else a thousandth of the range.",
    minimum=0,
)


@dataclass(frozen=True)
class RankQuestion(ChoosingQuestion):
    """The score of a candidate: how many rows its rank is off, as a whole number of 1/PARTS."""

    column: str
    step: float | None

    has_accuracy: ClassVar[bool] = False

    @property
    def wanted(self) -> tuple[float, ...]:
        raise NotImplementedError

    @property
    def domain(self) -> NumberDomain:
        return self.setting.bounds_of(self.column)

    def check(self, place: Place) -> None:
        if self.step is not None and self.step <= 0:
            place["step"].refuse("a number above 0 is accepted.")
        if self.step is not None and self.domain.width / self.step >= MOST_CANDIDATES:
            place["step"].refuse(
                f"this makes {self.domain.width / self.step:.3g} candidates; choose a larger step, "
                f"at most {MOST_CANDIDATES} are accepted."
            )

    def places(self) -> Numbers:
        """Return the candidates: from the lower bound upwards, and the upper one."""
        low, high = self.domain.low, self.domain.high
        whole = low.is_integer() and high.is_integer() and self.domain.width < USUAL_CANDIDATES
        step = self.step or (1.0 if whole else self.domain.width / (USUAL_CANDIDATES - 1))
        steps = int(np.ceil(self.domain.width / step - 1e-9))
        return np.append(low + step * np.arange(steps), high)

    @property
    def candidates(self) -> int:
        return len(self.places())

    def choosers(self) -> tuple[NoisyMax, ...]:
        part = self.price.part(len(self.wanted))
        return tuple(self.chooser(self._change(share), part.epsilon) for share in self.wanted)

    def score(self, rows: Rows) -> tuple[Counts, ...]:
        numbers = np.sort(rows.numbers(self.column))  # NaN last
        fits = int((~np.isnan(numbers)).sum())
        below = np.searchsorted(numbers[:fits], self.places(), side="left")
        reached = np.searchsorted(numbers[:fits], self.places(), side="right")
        return tuple(rank_scores(below, reached, fits, share) for share in self.wanted)

    @property
    def sensitivity(self) -> float:
        return max(self._change(share) for share in self.wanted) / PARTS

    def changes(self) -> str:
        return f"the rank of a candidate changes by at most {self.sensitivity:g}"

    def falls_short(self, confidence: float) -> str:
        chance, choosers = 1 - confidence, self.choosers()
        short = max(one.falls_short(self.candidates, chance) for one in choosers) / PARTS
        return (
            f"The rank of the number named is at most {short:.4g} rows off, "
            f"{percent_words(confidence)} sure; how far that is in the column's own unit, nobody "
            f"can say without looking."
        )

    def assumptions(self) -> tuple[str, ...]:
        return (CLAMPED, GAPS)

    def explain(self) -> str:
        parts = "" if len(self.wanted) == 1 else f" ε is shared by {len(self.wanted)} choices."
        return (
            f"Each of {self.candidates} numbers fixed beforehand is scored by how many rows its "
            f"rank is off, and one is chosen: {self.formula()}, Δ = {self.sensitivity:g}.{parts}"
        )

    def _change(self, share: float) -> int:
        """Return what neighbors change a score by.

        Somebody more shifts the wanted rank by q and, below the candidate, the rank by 1: at most
        max(q, 1 − q) either way. Somebody replaced: both at once, at most 1.
        """
        part = _thousandths(share)
        each = PARTS if self.setting.replaces else max(part, PARTS - part)
        return self.setting.rows_per_person * each


@dataclass(frozen=True)
class Median(RankQuestion):
    """Any number between the two in the middle counts as the median."""

    kind: ClassVar[str] = "median"
    label: ClassVar[str] = "Median"
    tile: ClassVar[str] = "The number in the middle"
    fields: ClassVar[tuple[Field, ...]] = (NumberColumn(), STEP, HOW)

    @property
    def wanted(self) -> tuple[float, ...]:
        return (0.5,)

    def asks(self) -> str:
        return f"What is the median of {self.column}"

    def read(self, chosen: tuple[int, ...]) -> Reading:
        value = plain_number(float(self.places()[chosen[0]]))
        return Reading(
            {"value": value, "interval": None}, f"About {value}. {self.falls_short(CONFIDENCE)}"
        )


@dataclass(frozen=True)
class Quantiles(RankQuestion):
    quantiles: tuple[float, ...]

    kind: ClassVar[str] = "quantiles"
    label: ClassVar[str] = "Quantiles"
    tile: ClassVar[str] = "The numbers that a quarter, a half … of the rows lie below"
    fields: ClassVar[tuple[Field, ...]] = (
        NumberColumn(),
        NumberList(
            name="quantiles", label="Shares below, from 0 to 1", minimum=0, maximum=1, most=20
        ),
        STEP,
        HOW,
    )

    def check(self, place: Place) -> None:
        super().check(place)
        for item, share in zip(place["quantiles"].items(), self.quantiles, strict=True):
            if Fraction(str(share)) * PARTS % 1:
                item.refuse("at most three decimals are accepted.")

    @property
    def wanted(self) -> tuple[float, ...]:
        return self.quantiles

    def asks(self) -> str:
        shares = ", ".join(f"{share:g}" for share in self.quantiles)
        return f"What are the quantiles {shares} of {self.column}"

    def read(self, chosen: tuple[int, ...]) -> Reading:
        # Sorting is free and puts right what noise has put in the wrong order.
        found = sorted(float(self.places()[place]) for place in chosen)
        values = [
            {"quantile": share, "value": plain_number(value)}
            for share, value in zip(self.quantiles, found, strict=True)
        ]
        return Reading(
            {"values": values, "intervals": [None] * len(values)},
            f"{len(values)} numbers. {self.falls_short(CONFIDENCE)}",
        )


def rank_scores(below: Counts, reached: Counts, rows: int, share: float) -> Counts:
    """Return minus how far the wanted rank is from those a candidate has, in 1/PARTS of a row.

    A candidate that many rows share has all the ranks from `below` to `reached`.
    """
    wanted = _thousandths(share) * rows
    short = np.maximum(wanted - PARTS * reached, PARTS * below - wanted)
    return -np.maximum(short, 0).astype(np.int64)


def _thousandths(share: float) -> int:
    return round(share * PARTS)
