"""Quantiles of a column, chosen from candidates fixed beforehand.

The median itself may jump from one bound to the other when one row changes, so noise on it is
useless; how far a candidate's rank is from the wanted one changes by one row only. Numbers count as
the nearest candidate, so that one of them always has the wanted rank.

How far a rank is off says nothing about numbers. For an interval in the column's own unit, two more
candidates are chosen, aiming so many rows before and after the wanted rank that each misses it with
a chance of 2.5 % at most, whatever the table. Beyond the first and the last candidate ranks go on
without end: where there are too few rows to say anything, the interval ends at the bounds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from statistics import NormalDist
from typing import ClassVar

import numpy as np

from deid_portal.engine.differential.fields import (
    Field,
    NumberColumn,
    NumberField,
    NumberList,
    OneOf,
)
from deid_portal.engine.differential.mechanisms.exponential import NoisyMax
from deid_portal.engine.differential.noise.forecast import CONFIDENCE
from deid_portal.engine.differential.noise.noisy_result import NoisyResult
from deid_portal.engine.differential.number_words import percent_words, width_words
from deid_portal.engine.differential.questions.choosing_question import HOW, ChoosingQuestion
from deid_portal.engine.differential.questions.sum import CLAMPED, GAPS
from deid_portal.engine.differential.selection.domains import NumberDomain, plain_number
from deid_portal.engine.differential.selection.rows import SelectedRows
from deid_portal.engine.documents import Place
from deid_portal.engine.table.numbers import Numbers
from deid_portal.engine.table.table import Counts

MOST_CANDIDATES = 10_000
USUAL_CANDIDATES = 1001
PARTS = 1000  # quantiles are given in thousandths

STEP = NumberField(
    name="step",
    label="Distance of the numbers that may be the answer",
    help="Without it: 1 for whole bounds up to 1000 apart, else a thousandth of the range.",
    minimum=0,
)
VALUES, RANKS = "values", "ranks"
INTERVAL = OneOf(
    name="interval",
    label="Interval",
    choices=(VALUES, RANKS),
    labels=("Of numbers, for half of ε", "Of ranks only, all of ε for the number"),
)
# The shares of ε spent on the number itself and on each end of its interval.
SHARES = {RANKS: (1.0,), VALUES: (0.5, 0.25, 0.25)}
SIDES = (0, -1, 1)  # at the wanted rank, before it, after it


@dataclass(frozen=True)
class NamedCandidate:
    """A chosen candidate, and the ends of its interval if they were chosen, too."""

    value: float
    interval: tuple[float, float] | None

    @classmethod
    def of(cls, value: float, ends: list[float]) -> "NamedCandidate":
        if not ends:
            return cls(value, None)
        low, high = min(ends), max(ends)
        return cls(min(max(value, low), high), (low, high))

    @property
    def shown(self) -> list[float | int] | None:
        return [plain_number(end) for end in self.interval] if self.interval else None


@dataclass(frozen=True)
class RankQuestion(ChoosingQuestion):
    """The score of a candidate: how many rows its rank is off, as a whole number of 1/PARTS."""

    column: str
    step: float | None
    interval: str

    answer_unit: ClassVar[str] = "percentiles"
    width_is_distance: ClassVar[bool] = False

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
        usual = self.domain.width / (USUAL_CANDIDATES - 1)
        if self.domain.whole:
            usual = float(ceil(usual))
        step = self.step or (1.0 if whole else usual)
        steps = int(np.ceil(self.domain.width / step - 1e-9))
        return np.append(low + step * np.arange(steps), high)

    @property
    def candidates(self) -> int:
        return len(self.places())

    def choosers(self) -> tuple[NoisyMax, ...]:
        """Return, per quantile, the mechanisms that choose the number and its interval's ends."""
        each = self.price.part(len(self.wanted)).epsilon
        return tuple(
            self.chooser(self._change(share), part * each)
            for share in self.wanted
            for part in SHARES[self.interval]
        )

    def score(self, rows: SelectedRows) -> tuple[Counts, ...]:
        below, reached = ranks_of(rows.numbers(self.column), self.places())
        aims = [(share, side) for share in self.wanted for side in self._sides]
        return tuple(
            rank_scores(below, reached, share, side * self._margin(chooser))
            for (share, side), chooser in zip(aims, self.choosers(), strict=True)
        )

    @property
    def sensitivity(self) -> float:
        return max(self._change(share) for share in self.wanted) / PARTS

    def changes(self) -> str:
        return f"the rank of a candidate changes by at most {self.sensitivity:g}"

    @property
    def depends_on_rows(self) -> bool:
        return True

    def width(self, confidence: float, rows: int | None) -> float | None:
        """Return how many rows in a hundred answer and interval are off in rank at most."""
        if rows is None:
            return None
        side = 0 if self.interval == RANKS else 1
        return self._percentiles(self._short(side, confidence), rows)

    def falls_short(self, confidence: float, rows: int | None = None) -> str:
        number = f"The number named is at most {self._rows_off(0, confidence, rows)} off in rank"
        if self.interval == RANKS:
            return (
                f"{number}, {percent_words(confidence)} sure; how far that is in the column's own "
                f"unit, nobody can say without looking."
            )
        each = " each" if len(self.wanted) > 1 else ""
        return (
            f"The interval holds the true number, {percent_words(CONFIDENCE)} sure{each}; it "
            f"reaches at most {self._rows_off(1, confidence, rows)} to either side. {number}, "
            f"{percent_words(confidence)} sure."
        )

    def example(self, confidence: float, rows: int | None) -> str:
        """Say how far a rank is in numbers, for two made-up columns with the declared bounds."""
        width = self.width(confidence, rows)
        if width is None:
            return ""
        even = max(self._reach(share, width, lambda rank: rank) for share in self.wanted)
        bell = max(self._reach(share, width, _bell) for share in self.wanted)
        first, second = (width_words(one * self.domain.width) for one in (even, bell))
        return (
            f"In numbers that is about ±{first} if they are spread evenly over the declared "
            f"bounds, and ±{second} if they lie like a bell around the middle."
        )

    def _reach(self, share: float, width: float, place: Callable[[float], float]) -> float:
        """Return half of what lies between two ranks, as a share of the bounds."""
        low, high = max(share - width / 100, 0.0), min(share + width / 100, 1.0)
        return (place(high) - place(low)) / 2

    def assumptions(self) -> tuple[str, ...]:
        places = self.places()
        apart = plain_number(float(places[1] - places[0]))
        nearest = f"Numbers count as the nearest of {self.candidates} candidates, {apart:g} apart."
        return (CLAMPED, nearest, GAPS)

    def explain(self) -> str:
        parts = "" if len(self.wanted) == 1 else f" ε is shared by {len(self.wanted)} quantiles."
        ends = (
            ""
            if self.interval == RANKS
            else (
                " Half of ε chooses the number, a quarter each chooses an end of the interval in "
                "the same way, aiming so far before and after that it misses once in forty times."
            )
        )
        return (
            f"Each of {self.candidates} numbers fixed beforehand is scored by how many rows its "
            f"rank is off, and one is chosen: {self.formula()}, "
            f"Δ = {self.sensitivity:g}.{parts}{ends}"
        )

    def read_all(self, chosen: tuple[int, ...]) -> list[NamedCandidate]:
        """Return the numbers of all quantiles, in their order."""
        found = self.places()[list(chosen)].reshape(len(self.wanted), len(self._sides))
        # Sorting is post-processing and corrects an order that noise reversed.
        values = np.sort(found[:, 0]).tolist()
        return [
            NamedCandidate.of(*pair) for pair in zip(values, found[:, 1:].tolist(), strict=True)
        ]

    @property
    def _sides(self) -> tuple[int, ...]:
        return SIDES[: len(SHARES[self.interval])]

    def _margin(self, chooser: NoisyMax) -> int:
        """Return how far from the rank an end aims, to miss it with a chance of 1 in 40."""
        return ceil(chooser.falls_short(self.candidates - 1, (1 - CONFIDENCE) / 2))

    def _short(self, side: int, confidence: float) -> float:
        """Return how many rows a choice lies from the rank that is wanted, at most."""
        parts = len(SHARES[self.interval])
        chance = (1 - confidence) / (2 if side else 1)
        missed = [
            chooser.falls_short(self.candidates - 1, chance)
            + (self._margin(chooser) if side else 0)
            for chooser in self.choosers()[abs(side) :: parts]
        ]
        return max(missed) / PARTS

    def _rows_off(self, side: int, confidence: float, rows: int | None) -> str:
        short, supposed = self._short(side, confidence), rows or self.known_rows
        if supposed is None:
            return f"{width_words(short)} rows"
        percentiles = width_words(self._percentiles(short, supposed))
        return f"{width_words(short)} rows ({percentiles} percentiles)"

    def _percentiles(self, short: float, rows: int) -> float:
        return min(100 * short / rows, 100.0)

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
    fields: ClassVar[tuple[Field, ...]] = (NumberColumn(), STEP, INTERVAL, HOW)

    @property
    def wanted(self) -> tuple[float, ...]:
        return (0.5,)

    def asks(self) -> str:
        return f"What is the median of {self.column}"

    def read(self, chosen: tuple[int, ...]) -> NoisyResult:
        (found,) = self.read_all(chosen)
        value, interval = plain_number(found.value), found.shown
        between = "."
        if interval:
            between = f"; the true median lies from {interval[0]} to {interval[1]}, 95 % sure."
        return NoisyResult(
            {"value": value, "interval": interval},
            f"About {value}{between} {self.falls_short(CONFIDENCE)}",
        )


@dataclass(frozen=True)
class Quantiles(RankQuestion):
    quantiles: tuple[float, ...]

    kind: ClassVar[str] = "quantiles"
    label: ClassVar[str] = "Quantiles"
    tile: ClassVar[str] = "The numbers that a quarter, a half … of the rows lie below"
    has_equal_intervals: ClassVar[bool] = False
    fields: ClassVar[tuple[Field, ...]] = (
        NumberColumn(),
        NumberList(
            name="quantiles", label="Shares below, from 0 to 1", minimum=0, maximum=1, most=20
        ),
        STEP,
        INTERVAL,
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

    def read(self, chosen: tuple[int, ...]) -> NoisyResult:
        found = self.read_all(chosen)
        values = [
            {"quantile": share, "value": plain_number(named.value)}
            for share, named in zip(self.quantiles, found, strict=True)
        ]
        return NoisyResult(
            {"values": values, "intervals": [named.shown for named in found]},
            f"{len(values)} numbers. {self.falls_short(CONFIDENCE)}",
        )


def _bell(share: float) -> float:
    """Return where a share of a bell lies that has six standard deviations between the bounds."""
    if not 0 < share < 1:
        return float(share)
    return min(max(0.5 + NormalDist().inv_cdf(share) / 6, 0.0), 1.0)


def ranks_of(numbers: Numbers, places: Numbers) -> tuple[Counts, Counts]:
    """Return how many numbers lie below each of some places, and how many up to it.

    Numbers count as the nearest place, NaN as none.
    """
    inside = numbers[~np.isnan(numbers)]
    nearest = np.searchsorted((places[:-1] + places[1:]) / 2, inside, side="right")
    counts = np.bincount(nearest, minlength=len(places)).astype(np.int64)
    reached = np.cumsum(counts)
    return reached - counts, reached


def rank_scores(below: Counts, reached: Counts, share: float, shift: int = 0) -> Counts:
    """Return minus how far the wanted rank is from those a candidate has, in 1/PARTS of a row.

    A candidate that many rows share has all the ranks from `below` to `reached`; shifted down, the
    first has all that would come before it, and shifted up, the last all that would come after.
    """
    wanted = _thousandths(share) * int(reached[-1]) + shift
    too_low, too_high = wanted - PARTS * reached, PARTS * below - wanted
    if shift < 0:
        too_high[0] = 0
    if shift > 0:
        too_low[-1] = 0
    return -np.maximum(np.maximum(too_low, too_high), 0).astype(np.int64)


def _thousandths(share: float) -> int:
    return round(share * PARTS)
