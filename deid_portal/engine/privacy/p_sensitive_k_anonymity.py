"""p-sensitive k-anonymity: k look-alikes with p values of every sensitive column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import ColumnNames, Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_AND_ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import (
    LOOK_ALIKES,
    Answers,
    PrivacyModel,
    WholeTable,
    check_sensitive,
)
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Counts


@dataclass(frozen=True)
class PSensitiveKAnonymity(PrivacyModel):
    """Each class has k records or more and p different values or more of each sensitive column.

    A plan that names no columns means all its sensitive ones. Each is looked at by itself.
    A gap is a value like any other.
    """

    p: int
    k: int
    columns: tuple[str, ...] | None = None

    name: ClassVar[str] = "p-sensitive-k-anonymity"
    cites: ClassVar[str] = (
        "T. Truta, B. Vinay, Privacy protection: p-sensitive k-anonymity property, ICDE Workshops "
        "2006."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.RECORD_LINKAGE,
        AttackModel.ATTRIBUTE_LINKAGE,
    )
    disclosure: ClassVar[Disclosure] = IDENTITY_AND_ATTRIBUTE
    look_alikes: ClassVar[str] = "k"
    names_sensitive: ClassVar[str] = "columns"
    speaks_of_sensitive: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "p",
            start=2,
            minimum=2,
            whole=True,
            unusual_above=10,
            caution="p = {value} is unusual: few columns have that many values in every group.",
        ),
        LOOK_ALIKES,
        ColumnNames("columns", optional=True),
    )
    is_monotone = True
    is_monotone_per_record = True
    needs_sensitive: ClassVar[bool] = True

    @property
    def ignores_nearness(self) -> bool:
        return True

    @property
    def counted_columns(self) -> tuple[str, ...]:
        return self.columns or ()

    @classmethod
    def parse(cls, place: Place) -> Self:
        model = super().parse(place)
        if model.p > model.k:
            place["p"].refuse(f"at most k is accepted, and k is {model.k}.")
        return model

    def for_columns(self, sensitive: Sequence[str]) -> Self:
        return self if self.columns else replace(self, columns=tuple(sensitive))

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        check_sensitive(place["columns"], self.columns or (), roles)

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return (classes.sizes >= self.k) & (self._different(classes) >= self.p)

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        if not len(kept.sizes):
            return {"p": 0, "k": 0}
        return {"p": int(self._different(kept).min()), "k": int(kept.sizes.min())}

    def _different(self, classes: Classes) -> Counts:
        """Return how many values occur in each class, of the column with the fewest."""
        pairs = [classes.sensitive[name] for name in self.columns or classes.sensitive]
        counts = [np.bincount(own.groups, minlength=len(classes.sizes)) for own in pairs]
        fewest: Counts = np.min(counts, axis=0)
        return fewest

    def explain(self) -> str:
        return (
            f"Every person looks like at least {self.k - 1} others, and among people who look "
            f"alike every sensitive column has at least {self.p} different values."
        )
