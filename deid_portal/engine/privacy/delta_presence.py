"""δ-presence: nobody can tell who of the population is in the release."""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import Declared, FileName, Parameter
from deid_portal.engine.privacy.kinds import MEMBERSHIP, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, WholeTable
from deid_portal.engine.privacy.population import Population
from deid_portal.engine.privacy.population_model import PopulationModel
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class DeltaPresence(PopulationModel):
    """For each person of a population, the chance of being in the release is from δmin to δmax.

    The chance is the records of a class divided by the people of the population who look like it.
    People who look like no class have the chance 0, so with a minimum above 0 everybody must look
    like one; suppressed records are not in the release. A class with more records than people is
    inconsistent with the population and fails.
    """

    minimum: float
    maximum: float
    population: str
    people: Population | None = field(default=None, compare=False, repr=False)

    name: ClassVar[str] = "delta-presence"
    cites: ClassVar[str] = (
        "M. Nergiz, M. Atzori, C. Clifton, Hiding the presence of individuals from shared "
        "databases, SIGMOD 2007."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.TABLE_LINKAGE,)
    disclosure: ClassVar[Disclosure] = MEMBERSHIP
    can_be_estimated: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "minimum",
            start=0,
            minimum=0,
            maximum=1,
            unusual_above=0.5,
            caution="A chance of {value} or more says of everybody that they are likely there.",
        ),
        Parameter(
            "maximum",
            start=0.5,
            minimum=0,
            maximum=1,
            unusual_above=0.8,
            caution="A chance of {value} says nearly surely who is in the release.",
        ),
        FileName("population"),
    )
    # The chance for joined groups lies between the chances for the groups.
    is_monotone = True
    is_monotone_per_record = False
    needs_labels: ClassVar[bool] = True
    judges_release: ClassVar[bool] = True

    @classmethod
    def parse(cls, place: Place) -> Self:
        model = super().parse(place)
        if model.minimum > model.maximum:
            place["minimum"].refuse(f"at most the maximum, {model.maximum:g}, is accepted.")
        return model

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        chances, _ = self._chances(classes, whole)
        return (chances >= self.minimum - ROUNDING) & (chances <= self.maximum + ROUNDING)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        """Return whether nobody can be known not to be in the release, if δmin is above 0."""
        return self.minimum <= 0 or not self._chances(kept, whole)[1]

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        chances, outside = self._chances(kept, whole)
        lowest = 0.0 if outside else float(chances.min(initial=1.0))
        return {"minimum": lowest, "maximum": float(chances.max(initial=0.0))}

    def explain(self) -> str:
        return (
            f"Whoever knows a person of the population concludes that the person is in the release "
            f"with a chance of at least {100 * self.minimum:.3g} and at most "
            f"{100 * self.maximum:.3g} in 100, so being in it stays uncertain."
        )

    def _chances(self, classes: Classes, whole: WholeTable) -> tuple[Shares, int]:
        """Return the chance per class, and how many people look like no class."""
        assert self.people is not None  # noqa: S101 - read with the plan
        people = self.count_people(classes, whole)
        # No person looks like it: counted as one, which gives a chance above 1 for two records.
        chances: Shares = np.where(people > 0, classes.sizes / np.maximum(people, 1), np.inf)
        return np.minimum(chances, 2.0), self.people.size - int(people.sum())
