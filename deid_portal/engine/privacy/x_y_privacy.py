"""(X, Y)-privacy: known columns X must lead to many values of Y, none with high confidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import (
    ColumnName,
    ColumnNames,
    Declared,
    Parameter,
    number_of_look_alikes,
)
from deid_portal.engine.privacy.kinds import IDENTITY_AND_ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.privacy.projections import number_columns
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Codes, Counts


@dataclass(frozen=True)
class XYPrivacy(PrivacyModel):
    """Each combination on X goes with k values of Y or more, none with more than a share h.

    The first half is (X, Y)-anonymity, the second (X, Y)-linkability; either may be left out. X is
    some of the quasi-identifiers, as the release shows them. The paper lets Y be a set of columns;
    here it is one, sensitive or an owner, but not a quasi-identifier.
    """

    x: tuple[str, ...]
    y: str
    k: int | None = None
    h: float | None = None

    name: ClassVar[str] = "x-y-privacy"
    cites: ClassVar[str] = "K. Wang, B. Fung, Anonymizing sequential releases, KDD 2006."
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.RECORD_LINKAGE,
        AttackModel.ATTRIBUTE_LINKAGE,
    )
    disclosure: ClassVar[Disclosure] = IDENTITY_AND_ATTRIBUTE
    can_be_estimated: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        ColumnNames("x"),
        ColumnName("y"),
        number_of_look_alikes(unusual_below=2, optional=True),
        Parameter(
            "h",
            minimum=0.001,
            maximum=1,
            optional=True,
            unusual_below=0.05,
            unusual_above=0.8,
            caution="h = {value} is unusual: under 0.05 hardly any detail is left, above 0.8 a "
            "conclusion is nearly always right.",
        ),
    )
    is_monotone = True
    judges_release: ClassVar[bool] = True

    @property
    def is_monotone_per_record(self) -> bool:
        """Only without h: more records add values, but may also make one of them frequent."""
        return self.h is None

    @property
    def counted_columns(self) -> tuple[str, ...]:
        return (self.y,)

    @classmethod
    def parse(cls, place: Place) -> Self:
        model = super().parse(place)
        if model.k is None and model.h is None:
            place.refuse('"k" or "h" or both are needed.')
        return model

    def check_columns(self, place: Place, roles: Mapping[str, str]) -> None:
        if not all(roles.get(name) == "quasi-identifier" for name in self.x):
            place["x"].refuse("the names of quasi-identifiers are accepted.")
        if roles.get(self.y) in (None, "quasi-identifier"):
            place["y"].refuse("the name of a column that is no quasi-identifier is accepted.")

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        numbers = self._groups(classes, whole)
        different, shares = self._measure(classes, numbers)
        good = (different >= (self.k or 0)) & (shares <= (self.h or 1.0) + ROUNDING)
        return good[numbers]

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        """Check again: other models may have suppressed part of a group."""
        return bool(self.passes(kept, whole).all())

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        different, shares = self._measure(kept, self._groups(kept, whole))
        reached: dict[str, Any] = {}
        if self.k is not None:
            reached["k"] = int(different.min()) if len(different) else 0
        if self.h is not None:
            reached["h"] = float(shares.max(initial=0.0))
        return reached

    def explain(self) -> str:
        many = f"at least {self.k} values of {self.y} occur" if self.k else ""
        sure = f"no value of {self.y} belongs to more than {100 * (self.h or 0):.3g} in 100"
        rules = [rule for rule in (many, sure if self.h else "") if rule]
        return f"Among people who look alike in {', '.join(self.x)}, {' and '.join(rules)}."

    def _groups(self, classes: Classes, whole: WholeTable) -> Codes:
        names = whole.original.names if whole.original else ()
        return number_columns(classes.labels, [names.index(name) for name in self.x])

    def _measure(self, classes: Classes, numbers: Codes) -> tuple[Counts, Shares]:
        """Return how many values of Y go with each group, and the largest share of one."""
        sizes = np.bincount(numbers, classes.sizes)
        pairs = classes.sensitive[self.y].regroup(numbers)
        shares = np.zeros(len(sizes))
        np.maximum.at(shares, pairs.groups, pairs.counts / sizes[pairs.groups])
        return np.bincount(pairs.groups, minlength=len(sizes)).astype(np.int64), shares
