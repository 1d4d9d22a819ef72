"""δ-disclosure privacy: a group may make no value much more or much less likely."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.parameters import ColumnName, Declared, Parameter
from deid_portal.engine.privacy.capped_shares import CappedShares
from deid_portal.engine.privacy.kinds import ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, WholeTable
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class DeltaDisclosure(CappedShares):
    """For every value, with share q in a class and p in the table: |ln(q / p)| is at most δ.

    So every value of the table occurs in every class. The paper asks for less than δ; equality is
    accepted here, so that what a release achieves can also be asked for. Logarithms are natural.
    """

    delta: float
    column: str

    name: ClassVar[str] = "delta-disclosure"
    cites: ClassVar[str] = (
        "J. Brickell, V. Shmatikov, The cost of privacy: destruction of data-mining utility in "
        "anonymized data publishing, KDD 2008."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (
        AttackModel.ATTRIBUTE_LINKAGE,
        AttackModel.PROBABILISTIC,
    )
    disclosure: ClassVar[Disclosure] = ATTRIBUTE
    speaks_of_sensitive: ClassVar[bool] = True
    compares_with_original: ClassVar[bool] = True
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "delta",
            start=1,
            minimum=0,
            unusual_below=0.1,
            unusual_above=3,
            caution="δ = {value} is unusual: under 0.1 hardly any detail is left, above 3 a value "
            "may become twenty times as likely.",
        ),
        ColumnName(),
    )

    def caps(self, whole: WholeTable) -> Shares:
        shares = whole.sensitive[self.column].shares
        caps: Shares = np.minimum(np.exp(self.delta) * shares, 1.0)
        return caps

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return self._distances(classes, whole) <= self.delta + ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        """Return the largest distance; none (null) if a value is missing in some class."""
        furthest = float(self._distances(kept, whole).max(initial=0.0))
        return {"delta": furthest if np.isfinite(furthest) else None}

    def _distances(self, classes: Classes, whole: WholeTable) -> Shares:
        """Return the largest |ln(q / p)| of each class; infinite if a value is missing in it."""
        pairs, shares = classes.sensitive[self.column], whole.sensitive[self.column].shares
        ratios = pairs.counts / classes.sizes[pairs.groups] / shares[pairs.codes]
        distances = np.zeros(len(classes.sizes))
        np.maximum.at(distances, pairs.groups, np.abs(np.log(ratios)))
        found = np.bincount(pairs.groups, minlength=len(classes.sizes))
        return np.where(found < np.count_nonzero(shares), np.inf, distances)

    def explain(self) -> str:
        return (
            f"Finding the group of a person makes every value of {self.column} at most "
            f"{np.exp(self.delta):.3g} times as likely, and at most so many times less likely, as "
            f"it is in the whole table."
        )
