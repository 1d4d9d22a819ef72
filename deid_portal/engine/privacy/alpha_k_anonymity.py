"""(α, k)-anonymity: many look-alikes, and no sensitive value that most of them share."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import ColumnName, Declared, Parameter, Values
from deid_portal.engine.privacy.capped_shares import CappedShares
from deid_portal.engine.privacy.hidden_names import NameOf
from deid_portal.engine.privacy.kinds import IDENTITY_AND_ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import LOOK_ALIKES, Answers, WholeTable, check_values
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts, Table


@dataclass(frozen=True)
class AlphaKAnonymity(CappedShares):
    """Each class has k records or more, and a sensitive value at most a share α of them.

    The paper names one value to protect; here it is any list of them, and all if none is named,
    which the paper calls the general model. A gap is a value like any other.
    """

    alpha: float
    k: int
    column: str
    values: tuple[str | None, ...] | None = None

    name: ClassVar[str] = "alpha-k-anonymity"
    cites: ClassVar[str] = (
        "R. Wong, J. Li, A. Fu, K. Wang, (α, k)-anonymity: an enhanced k-anonymity model for "
        "privacy preserving data publishing, KDD 2006."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.RECORD_LINKAGE,
        AttackModel.ATTRIBUTE_LINKAGE,
    )
    disclosure: ClassVar[Disclosure] = IDENTITY_AND_ATTRIBUTE
    look_alikes: ClassVar[str] = "k"
    speaks_of_sensitive: ClassVar[bool] = True
    largest_share: ClassVar[str] = "alpha"
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "alpha",
            start=0.5,
            minimum=0.001,
            maximum=1,
            unusual_below=0.05,
            unusual_above=0.8,
            caution="α = {value} is unusual: under 0.05 hardly any detail is left, above 0.8 a "
            "guess of the value is nearly always right.",
        ),
        LOOK_ALIKES,
        ColumnName(),
        Values(),
    )

    @property
    def ignores_nearness(self) -> bool:
        return True

    def caps(self, whole: WholeTable) -> Shares:
        secret = whole.sensitive[self.column]
        caps = np.ones(len(secret.column.values))
        caps[secret.codes_of(self.values)] = self.alpha
        return caps

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return super().passes(classes, whole) & (classes.sizes >= self.k)

    def judge(self, classes: Classes, whole: WholeTable) -> tuple[Answers, Counts]:
        """Also prove that all records of a class below k are lost: its parts are smaller still."""
        passes, lost = super().judge(classes, whole)
        return passes, np.where(classes.sizes < self.k, classes.sizes, lost)

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        if not len(kept.sizes):
            return {"alpha": 0.0, "k": 0}
        values = whole.sensitive[self.column].codes_of(self.values)
        return {
            "alpha": self._largest_share(kept, whole, values),
            "k": int(kept.sizes.min()),
        }

    def explain(self) -> str:
        which = "no value" if self.values is None else "none of the values to protect"
        return (
            f"Every person looks like at least {self.k - 1} others, and among people who look "
            f"alike {which} of {self.column} belongs to more than {100 * self.alpha:.3g} in 100."
        )

    def published(self, name_of: NameOf) -> Self:
        named = self.values and tuple(name_of(self.column, value) for value in self.values)
        return replace(self, values=named)

    def check_table(self, place: Place, table: Table) -> None:
        super().check_table(place, table)
        check_values(place["values"], self.values or (), table, self.column)
