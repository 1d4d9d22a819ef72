"""Highest risk: how often a match is right, for the person who stands out most."""

from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_MEASURED, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.risk.attackers import prosecutor
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class HighestRisk(PrivacyModel):
    """The largest of 1 / class size is at most a limit: prosecutor risk (El Emam, 2013)."""

    limit: float

    name: ClassVar[str] = "highest-risk"
    cites: ClassVar[str] = (
        "K. El Emam, Guide to the de-identification of personal health information, 2013."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY_MEASURED
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "limit",
            start=0.2,
            minimum=0.000001,
            maximum=1,
            unusual_below=0.001,
            unusual_above=0.34,
            caution="A highest risk of {value} is unusual: under 0.001 little detail is left, "
            "above 0.34 one match in three or more may be right.",
        ),
    )
    is_monotone = True
    is_monotone_per_record = True

    @property
    def chance_granted(self) -> float:
        return self.limit

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return classes.sizes * self.limit >= 1 - ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"limit": prosecutor(kept.sizes).highest}

    def explain(self) -> str:
        return (
            f"Nobody can be matched by known facts with a chance of more than "
            f"{100 * self.limit:.3g} in 100 of being right."
        )
