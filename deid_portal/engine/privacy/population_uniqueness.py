"""Population uniqueness: few people are unique in the population."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_MEASURED, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.risk.population_uniques import estimate_population_uniques
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class PopulationUniqueness(PrivacyModel):
    """The estimated share of the population that is unique in it is at most a limit.

    The release is taken for a random sample of a population of known size; the estimators and the
    choice among them are those of Dankar et al. (2012). An estimate may rise when the table gets
    coarser, so nothing is inferred from one combination of levels about another.
    """

    limit: float
    population_size: int

    name: ClassVar[str] = "population-uniqueness"
    cites: ClassVar[str] = (
        "F. Dankar, K. El Emam, A. Neisa, T. Roffey, Estimating the re-identification risk of "
        "clinical data sets, BMC Medical Informatics and Decision Making 12:66, 2012."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY_MEASURED
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "limit",
            start=0.01,
            minimum=0,
            maximum=1,
            unusual_above=0.05,
            caution="A share of {value} leaves one person in twenty or more unique in the "
            "population.",
        ),
        Parameter("population_size", minimum=1, whole=True),
    )
    is_monotone = False
    is_monotone_per_record = False
    judges_release: ClassVar[bool] = True
    judges_classes: ClassVar[bool] = False

    def check_rows(self, place: Place, rows: int) -> None:
        if self.population_size < rows:
            place["population_size"].refuse(f"at least the {rows} rows of the table are accepted.")

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return np.ones(len(classes.sizes), np.bool_)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        return self._share(kept) <= self.limit + ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"limit": self._share(kept), "population_size": self.population_size}

    def explain(self) -> str:
        return (
            f"By estimate, at most {100 * self.limit:.3g} in 100 of the {self.population_size:,} "
            f"people of the population are the only one with their combination of known facts."
        )

    def _share(self, classes: Classes) -> float:
        if not (classes.sizes == 1).any():
            return 0.0
        return estimate_population_uniques(np.sort(classes.sizes), self.population_size).share
