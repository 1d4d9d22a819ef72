"""(ε, m)-anonymity: few look-alikes have nearly the same amount."""

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
from deid_portal.engine.table.table import Table


@dataclass(frozen=True)
class EpsilonMAnonymity(PrivacyModel):
    """For each number y of a class, at most 1 / m of the class lies within y - ε .. y + ε.

    The absolute variant of the paper. Gaps are near each other and nothing else. Not monotone: {1,
    3} and {2, 9} both pass for ε = 1 and m = 2, but three of the four joined numbers lie within 1
    of 2.
    """

    epsilon: float
    m: float
    column: str

    name: ClassVar[str] = "epsilon-m-anonymity"
    cites: ClassVar[str] = (
        "J. Li, Y. Tao, X. Xiao, Preservation of proximity privacy in publishing numerical "
        "sensitive data, SIGMOD 2008."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.ATTRIBUTE_LINKAGE,)
    disclosure: ClassVar[Disclosure] = ATTRIBUTE
    speaks_of_sensitive: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("epsilon", start=1, minimum=0),
        Parameter(
            "m",
            start=3,
            minimum=1,
            unusual_below=1.5,
            unusual_above=20,
            caution="m = {value} is unusual: near 1 it protects little, above 20 few columns have "
            "groups that are spread so evenly.",
        ),
        ColumnName(),
    )
    is_monotone = False
    is_monotone_per_record = False

    @property
    def sensitive_column(self) -> str:
        return self.column

    @property
    def needs_numbers(self) -> bool:
        return True

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._crowding(classes, whole) * self.m <= 1 + ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        worst = float(self._crowding(kept, whole).max(initial=0.0))
        return {"epsilon": self.epsilon, "m": 1 / worst if worst else 0.0}

    def _crowding(self, classes: Classes, whole: WholeTable) -> Shares:
        """Return the largest share of each class that lies within ε of one of its numbers."""
        pairs, numbers = classes.sensitive[self.column], whole.sensitive[self.column].numbers
        order = np.lexsort((numbers[pairs.codes], pairs.groups))
        groups, counts = pairs.groups[order], pairs.counts[order]
        # One scale for all classes, a step wider than any of them: a window never leaves its class.
        values = np.nan_to_num(numbers[pairs.codes][order], nan=_beyond(numbers, self.epsilon))
        step = values.max(initial=0.0) - values.min(initial=0.0) + 2 * self.epsilon + 1
        scale = values + groups * step
        sums = np.concatenate([[0], np.cumsum(counts)])
        reach = self.epsilon + ROUNDING * max(self.epsilon, 1.0)
        first = np.searchsorted(scale, scale - reach, "left")
        after = np.searchsorted(scale, scale + reach, "right")
        near = (sums[after] - sums[first]) / classes.sizes[groups]
        crowding = np.zeros(len(classes.sizes))
        np.maximum.at(crowding, groups, near)
        return crowding

    def explain(self) -> str:
        return (
            f"Among people who look alike, at most 1 in {self.m:g} has a value of {self.column} "
            f"within {self.epsilon:g} of any one of them, so even the rough amount stays uncertain."
        )

    def check_table(self, place: Place, table: Table) -> None:
        check_numeric(place["column"], table, self.column)


def _beyond(numbers: Shares, epsilon: float) -> float:
    """Return a number so large that no other is within ε of it."""
    highest = np.nanmax(numbers) if np.isfinite(numbers).any() else 0.0
    return float(highest + 2 * epsilon + 1)
