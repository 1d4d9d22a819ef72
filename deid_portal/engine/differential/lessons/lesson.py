"""A lesson: the same attack on exact answers and on private ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from deid_portal.engine.attacks.attack import AttackResult
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


def answer_exactly(bits: Bits) -> Answer:
    return lambda chosen: float(bits[chosen].sum())


def answer_with_uniform_noise(bits: Bits, reach: float, generator: np.random.Generator) -> Answer:
    """Add noise that is never larger than `reach`, as deck 002 has it; this is not private."""
    return lambda chosen: float(bits[chosen].sum() + generator.uniform(-reach, reach))


def answer_privately(bits: Bits, epsilon: float) -> Answer:
    """Answer with noise of ε per answer; for several questions the caller divides ε."""
    add_noise = DiscreteLaplace(1, epsilon).measurement()

    def answer(chosen: Chosen) -> float:
        return float(add_noise([int(bits[chosen].sum())])[0])

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
