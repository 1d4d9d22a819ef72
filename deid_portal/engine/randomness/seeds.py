"""Seeds: where one is harmless, where it is refused, and what a report says of a seeded run.

The seed of a plan determines what is drawn for measurements, such as the queries to compare. If
random numbers protect people, the seed gives them all away, and a typed seed is found by trying; so
it is refused there. A pipeline under test may need the same release twice: a run that was confirmed
to be repeatable uses the seed, says so in its report and claims no level of privacy. Differential
privacy is never repeatable.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from deid_portal.engine.documents import Place
from deid_portal.engine.randomness.chance import REPEATABLE, Chance
from deid_portal.engine.report import Report
from deid_portal.engine.report.report import Randomness
from deid_portal.engine.report.transformation import MethodStep

LEVELS = ("epsilon", "delta")
UNDOES = (
    "chance protects people here, and whoever has or guesses the seed can undo it; leave the seed "
    "out"
)
NO_SEED_AT_ALL = (
    "differential privacy is drawn from the operating system alone and has no seed; leave it out."
)


class SeededPlan(ABC):
    """A plan with a seed, which is refused if random numbers protect people."""

    seed: int | None

    @property
    @abstractmethod
    def protects_by_chance(self) -> bool:
        """Say whether random numbers protect people, so that reproducing them undoes it."""

    @property
    @abstractmethod
    def is_private(self) -> bool:
        """Say whether a method promises differential privacy."""

    @property
    def has_undoing_seed(self) -> bool:
        return self.seed is not None and self.protects_by_chance

    def without_undoing_seed(self) -> Self:
        """Return the plan without a seed that would undo its protection."""
        if not self.has_undoing_seed:
            return self
        return replace(self, seed=None)  # type: ignore[type-var]

    def check_seed(self, *, is_confirmed: bool = False, or_else: str = "") -> None:
        """Refuse a seed that would undo the protection, unless its use was confirmed."""
        if not self.has_undoing_seed:
            return
        if self.is_private:
            Place({}, "seed").refuse(NO_SEED_AT_ALL)
        if not is_confirmed:
            Place({}, "seed").refuse(f"{UNDOES}{or_else}.")

    def chance(self, secret: bytes | None, *, is_confirmed: bool) -> Chance:
        """Return the random numbers of one run: from a secret, or from a confirmed seed."""
        self.check_seed(is_confirmed=is_confirmed)
        if self.seed is not None and self.protects_by_chance:
            return Chance.from_seed(self.seed)
        return Chance.in_secret(secret)


def admit_repeatable(report: Report) -> Report:
    """Return the report of a seeded run, saying so and claiming no level of privacy."""
    made = report.transformation
    if made.steps is not None:
        made = replace(made, steps=tuple(_without_levels(step) for step in made.steps))
    return replace(
        report,
        randomness=Randomness(repeatable=True, note=REPEATABLE),
        notes=(*report.notes, REPEATABLE),
        transformation=made,
    )


def _without_levels(step: MethodStep) -> MethodStep:
    return replace(step, notes=_hide_levels(step.notes))


def _hide_levels(own: Any) -> Any:
    if isinstance(own, Mapping):
        return {key: None if key in LEVELS else _hide_levels(item) for key, item in own.items()}
    return [_hide_levels(item) for item in own] if isinstance(own, list) else own
