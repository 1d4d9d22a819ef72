"""k-map: every record looks like at least k people of the population."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import Declared, FileName
from deid_portal.engine.privacy.kinds import IDENTITY, AttackModel, Disclosure
from deid_portal.engine.privacy.model import LOOK_ALIKES, Answers, WholeTable
from deid_portal.engine.privacy.population import Population
from deid_portal.engine.privacy.population_model import PopulationModel
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class KMap(PopulationModel):
    """Each record looks like at least k people of a population on the quasi-identifiers.

    Weaker than k-anonymity, and enough against somebody who does not know who is in the release.
    The population is a table with the quasi-identifiers' columns, the people of the release
    included. Coarser labels fit more people, so a class that passes keeps passing.
    """

    k: int
    population: str
    people: Population | None = field(default=None, compare=False, repr=False)

    name: ClassVar[str] = "k-map"
    cites: ClassVar[str] = (
        "L. Sweeney, Computational disclosure control: a primer on data privacy protection, PhD "
        "thesis, MIT, 2001."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY
    look_alikes: ClassVar[str] = "k"
    can_be_estimated: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        LOOK_ALIKES,
        FileName("population"),
    )
    is_monotone = True
    is_monotone_per_record = True
    needs_labels: ClassVar[bool] = True

    @property
    def chance_granted(self) -> None:
        """None: whoever knows who is in the release finds more people than 1 in k."""
        return None

    def check_rows(self, place: Place, rows: int) -> None:
        """Accept any number of rows: k people of the population may look like a single row."""

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self.count_people(classes, whole) >= self.k

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        counts = self.count_people(kept, whole)
        return {"k": int(counts.min()) if len(counts) else 0}

    def explain(self) -> str:
        return (
            f"Every person of the release looks like at least {self.k} people of the population, "
            f"so whoever does not know who is in the release is right at most 1 time in {self.k}."
        )
