"""A lesson: the same attack on exact answers and on private ones."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from deid_portal.engine.attacks.attack import AttackResult
from deid_portal.engine.attacks.confidence import Interval, exact_interval
from deid_portal.engine.attacks.differencing import Answer, Bits, Chosen
from deid_portal.engine.differential.mechanisms.discrete_laplace import DiscreteLaplace
from deid_portal.engine.differential.selection.domains import ValuesDomain
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.table.table import Table

MOST_PEOPLE = 200
FEWEST_PEOPLE = 2


@dataclass(frozen=True)
class Lesson:
    """Two results of one attack, and what to learn from them; no cell of a table is in it."""

    title: str
    without: AttackResult
    with_privacy: AttackResult
    moral: str

    def to_document(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "without": _describe(self.without),
            "with_privacy": _describe(self.with_privacy),
            "moral": self.moral,
        }


@dataclass(frozen=True)
class AttackChance:
    """The share an attack gets on average when it is made again and again, with 95 % interval."""

    share: float
    interval: Interval

    def is_above(self, share: float) -> bool:
        return self.interval[0] > share

    @classmethod
    def of(cls, results: Sequence[AttackResult]) -> "AttackChance":
        """Estimate from single attacks: exactly where each hits or misses, else by Student's t."""
        shares = [result.value for result in results]
        times, mean = len(shares), float(np.mean(shares))
        if set(shares) <= {0.0, 1.0}:
            guesses = max(result.records for result in results) or 1
            tries = times * guesses
            return cls(mean, exact_interval(round(mean * tries), tries))
        reach = float(stdtrit(times - 1, 0.975) * np.std(shares, ddof=1) / np.sqrt(times))
        return cls(mean, (max(mean - reach, 0.0), min(mean + reach, 1.0)))


@dataclass(frozen=True)
class RepeatedLesson:
    """A lesson with both attacks made many times, since once may be luck."""

    lesson: Lesson  # one of them
    times: int
    without: AttackChance
    with_privacy: AttackChance

    @property
    def guessing(self) -> float | None:
        """The share that is right without any answer."""
        return self.lesson.without.control

    @property
    def beats_guessing(self) -> bool:
        """True if noise left something that cannot be luck."""
        return self.guessing is not None and self.with_privacy.is_above(self.guessing)


def repeat_lesson(teach: Callable[[], Lesson], times: int) -> RepeatedLesson:
    """Make both attacks of a lesson `times` times, each with fresh noise."""
    lessons = [teach() for _ in range(times)]
    return RepeatedLesson(
        lessons[0],
        times,
        AttackChance.of([lesson.without for lesson in lessons]),
        AttackChance.of([lesson.with_privacy for lesson in lessons]),
    )


def answer_exactly(bits: Bits) -> Answer:
    return lambda chosen: float(bits[chosen].sum())


def answer_with_uniform_noise(bits: Bits, reach: float, generator: np.random.Generator) -> Answer:
    """Add noise that is never larger than `reach`, as deck 002 has it; this is not private."""
    return lambda chosen: float(bits[chosen].sum() + generator.uniform(-reach, reach))


def answer_privately(bits: Bits, epsilon: float, repeats: int = 1) -> Answer:
    """Answer with noise of ε per answer; for several questions the caller divides ε.

    With `repeats` each question is asked so often, and the mean of the answers is returned.
    """
    add_noise = DiscreteLaplace(1, epsilon).measurement()

    def answer(chosen: Chosen) -> float:
        return float(np.mean(add_noise([int(bits[chosen].sum())] * repeats)))

    return answer


def bits_of(table: Table, column: str, values: ValuesDomain) -> Bits:
    """Return for the first people of a table whether they have one of these values."""
    if column not in table:
        raise InvalidPlan(f'The table has no column "{column}".')
    bits = (values.places_of(table[column])[:MOST_PEOPLE] >= 0).astype(np.int64)
    if len(bits) < FEWEST_PEOPLE:
        raise InvalidPlan(f"At least {FEWEST_PEOPLE} people are needed for a lesson.")
    return bits


def _describe(result: AttackResult) -> dict[str, Any]:
    return {
        "attack": result.name,
        "value": result.value,
        "control": result.control,
        "records": result.records,
        "sentence": result.sentence,
    }
