"""Confidence bounding: nobody can conclude the secret from the known facts with much confidence."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from deid_portal.engine.documents import Place
from deid_portal.engine.parameters import ColumnName, Declared, Parameter, Values
from deid_portal.engine.privacy.capped_shares import CappedShares
from deid_portal.engine.privacy.hidden_names import NameOf
from deid_portal.engine.privacy.kinds import ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import WholeTable, check_values
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Table


@dataclass(frozen=True)
class ConfidenceBounding(CappedShares):
    """The confidence of inferring a sensitive value from the quasi-identifiers is at most h.

    The confidence is the share of the value in a class. The paper bounds chosen values (a privacy
    template) and leaves harmless ones alone; without a list all values are bounded. Several
    templates are several models of a plan.
    """

    h: float
    column: str
    values: tuple[str | None, ...] | None = None

    name: ClassVar[str] = "confidence-bounding"
    cites: ClassVar[str] = (
        "K. Wang, B. Fung, P. Yu, Handicapping attacker's confidence: an alternative to "
        "k-anonymization, KAIS 11(3), 2007."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.ATTRIBUTE_LINKAGE,)
    disclosure: ClassVar[Disclosure] = ATTRIBUTE
    speaks_of_sensitive: ClassVar[bool] = True
    largest_share: ClassVar[str] = "h"
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "h",
            start=0.6,
            minimum=0.001,
            maximum=1,
            unusual_below=0.05,
            unusual_above=0.8,
            caution="h = {value} is unusual: under 0.05 hardly any detail is left, above 0.8 the "
            "conclusion is nearly always right.",
        ),
        ColumnName(),
        Values(),
    )

    @property
    def ignores_nearness(self) -> bool:
        return True

    def caps(self, whole: WholeTable) -> Shares:
        secret = whole.sensitive[self.column]
        caps = np.ones(len(secret.column.values))
        caps[secret.codes_of(self.values)] = self.h
        return caps

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        values = whole.sensitive[self.column].codes_of(self.values)
        return {"h": self._largest_share(kept, whole, values)}

    def explain(self) -> str:
        which = "a value" if self.values is None else "one of the values to protect"
        return (
            f"Whoever knows the facts about a person and concludes {which} of {self.column} is "
            f"right at most {100 * self.h:.3g} times in 100."
        )

    def published(self, name_of: NameOf) -> Self:
        named = self.values and tuple(name_of(self.column, value) for value in self.values)
        return replace(self, values=named)

    def check_table(self, place: Place, table: Table) -> None:
        check_values(place["values"], self.values or (), table, self.column)
