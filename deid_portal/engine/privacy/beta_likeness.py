"""β-likeness: a group may make no value much more likely than it was before."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.parameters import ColumnName, Declared, Flag, Parameter
from deid_portal.engine.privacy.capped_shares import CappedShares
from deid_portal.engine.privacy.kinds import ATTRIBUTE, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, WholeTable
from deid_portal.engine.privacy.sensitive import Shares
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class BetaLikeness(CappedShares):
    """The share of a sensitive value in a class exceeds its share p in the table by at most β · p.

    The `enhanced` variant allows a gain of at most min(β, -ln p), so that frequent values gain
    less and none is ever certain. Values that become rarer are not restricted, as in the paper.
    """

    beta: float
    column: str
    enhanced: bool = False

    name: ClassVar[str] = "beta-likeness"
    cites: ClassVar[str] = (
        "J. Cao, P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 5(11), "
        "2012."
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
            "beta",
            start=1,
            minimum=0,
            unusual_below=0.1,
            unusual_above=10,
            caution="β = {value} is unusual: under 0.1 hardly any detail is left, above 10 a rare "
            "value may become more than ten times as likely.",
        ),
        Flag("enhanced"),
        ColumnName(),
    )

    def caps(self, whole: WholeTable) -> Shares:
        shares = whole.sensitive[self.column].shares
        gain = np.full(len(shares), self.beta)
        if self.enhanced:
            gain = np.minimum(gain, _information(shares))
        return np.minimum((1 + gain) * shares, 1.0)

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        """Return the largest gain; None (null) if the rule holds for no β.

        That is so if -ln p is exceeded, or if a class shows a value that no original record has.
        """
        pairs, shares = kept.sensitive[self.column], whole.sensitive[self.column].shares
        if not shares[pairs.codes].all():
            return {"beta": None}
        gains = pairs.counts / kept.sizes[pairs.groups] / shares[pairs.codes] - 1
        if self.enhanced and (gains > _information(shares)[pairs.codes] + ROUNDING).any():
            return {"beta": None}
        return {"beta": float(gains.max(initial=0.0))}

    def explain(self) -> str:
        also = " (frequent values even less, and none ever certain)" if self.enhanced else ""
        return (
            f"Finding the group of a person makes no value of {self.column} more than "
            f"{1 + self.beta:.3g} times as likely as it is in the whole table{also}."
        )


def _information(shares: Shares) -> Shares:
    """Return -ln p, 0 for values no record has."""
    return -np.log(np.where(shares > 0, shares, 1.0))
