"""(k, e)-anonymity: the amounts of look-alikes must be many and lie far apart."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import ColumnName, Declared, Parameter
from deid_portal.engine.privacy.kinds import ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import (
    ROUNDING,
    Answers,
    PrivacyModel,
    WholeTable,
    check_numeric,
)
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts, Table

DIFFERENT_NUMBERS = Parameter(
    "k",
    minimum=2,
    whole=True,
    unusual_above=100,
    caution="k = {value} is unusual: few groups have that many different numbers.",
    start=5,
)
NUMBERS_APART = Parameter("e", minimum=0, start=1)


@dataclass(frozen=True)
class KEAnonymity(PrivacyModel):
    """Each class has k different numbers or more, the largest and smallest at least e apart.

    A gap counts as one of the different values but has no place on the scale.
    """

    k: int
    e: float
    column: str

    name: ClassVar[str] = "k-e-anonymity"
    cites: ClassVar[str] = (
        "Q. Zhang, N. Koudas, D. Srivastava, T. Yu, Aggregate query answering on anonymized "
        "tables, ICDE 2007."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.ATTRIBUTE_LINKAGE,)
    disclosure: ClassVar[Disclosure] = ATTRIBUTE
    look_alikes: ClassVar[str] = "k"
    speaks_of_sensitive: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        DIFFERENT_NUMBERS,
        NUMBERS_APART,
        ColumnName(),
    )
    is_monotone = True
    is_monotone_per_record = True

    @property
    def sensitive_column(self) -> str:
        return self.column

    @property
    def needs_numbers(self) -> bool:
        return True

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        enough = self._different(classes) >= self.k
        return enough & (self._ranges(classes, whole) >= self.e * (1 - ROUNDING))

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        if not len(kept.sizes):
            return {"k": 0, "e": 0.0}
        return {
            "k": int(self._different(kept).min()),
            "e": float(self._ranges(kept, whole).min()),
        }

    def _different(self, classes: Classes) -> Counts:
        groups = classes.sensitive[self.column].groups
        return np.bincount(groups, minlength=len(classes.sizes)).astype(np.int64)

    def _ranges(self, classes: Classes, whole: WholeTable) -> Shares:
        """Return the largest number minus the smallest, 0 in a class without numbers."""
        pairs, numbers = classes.sensitive[self.column], whole.sensitive[self.column].numbers
        high, low = np.full(len(classes.sizes), -np.inf), np.full(len(classes.sizes), np.inf)
        np.fmax.at(high, pairs.groups, numbers[pairs.codes])
        np.fmin.at(low, pairs.groups, numbers[pairs.codes])
        ranges: Shares = np.maximum(high - low, 0.0)
        return ranges

    def explain(self) -> str:
        return (
            f"People who look alike have at least {self.k} different values of {self.column}, the "
            f"highest at least {self.e:g} above the lowest, so the amount stays uncertain."
        )

    def check_table(self, place: Place, table: Table) -> None:
        super().check_table(place, table)
        check_numeric(place["column"], table, self.column)
