"""k-map: everybody in the release looks like many people out there."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from deid_portal.engine.documents import Place
from deid_portal.engine.grouping import Classes
from deid_portal.engine.parameters import Declared, FileName, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY, Attack, Disclosure
from deid_portal.engine.privacy.model import Answers, PrivacyModel, Whole
from deid_portal.engine.privacy.population import Population
from deid_portal.engine.table import Counts
from deid_portal.engine.taxonomies.recipe import ReadFile


@dataclass(frozen=True)
class KMap(PrivacyModel):
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
    addresses: ClassVar[tuple[Attack, ...]] = (Attack.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "k",
            minimum=2,
            whole=True,
            unusual_below=3,
            unusual_above=1000,
            caution="k = {value} is unusual: 2 protects little, above 1,000 little detail is left.",
        ),
        FileName("population"),
    )
    is_monotone = True
    is_monotone_per_record = True
    needs_labels: ClassVar[bool] = True

    def with_files(self, place: Place, read_file: ReadFile | None) -> Self:
        return replace(self, people=Population.read(place["population"], read_file))

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        quasi = [name for name, role in roles.items() if role == "quasi-identifier"]
        if self.people is not None:
            self.people.check_names(place["population"], quasi)

    def passes(self, classes: Classes, whole: Whole) -> Answers:
        return self._counts(classes, whole) >= self.k

    def achieved(self, kept: Classes, whole: Whole) -> dict[str, Any]:
        counts = self._counts(kept, whole)
        return {"k": int(counts.min()) if len(counts) else 0}

    def explain(self) -> str:
        return (
            f"Every person of the release looks like at least {self.k} people of the population, "
            f"so whoever does not know who is in the release is right at most 1 time in {self.k}."
        )

    def _counts(self, classes: Classes, whole: Whole) -> Counts:
        assert self.people is not None  # noqa: S101 - read with the plan
        return self.people.count(classes, whole.original)
