"""Average risk: how often a match is right, over all people."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_MEASURED, AttackModel, Disclosure
from deid_portal.engine.privacy.model import Answers, PrivacyModel, WholeTable
from deid_portal.engine.risk.attackers import prosecutor
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class AverageRisk(PrivacyModel):
    """The mean over released records of 1 / class size is at most a limit (El Emam, 2013).

    A rule about the release as a whole: no class breaks it alone, so it suppresses nothing.
    """

    limit: float

    name: ClassVar[str] = "average-risk"
    cites: ClassVar[str] = (
        "K. El Emam, Guide to the de-identification of personal health information, 2013."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY_MEASURED
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "limit",
            start=0.2,
            minimum=0,
            maximum=1,
            unusual_above=0.34,
            caution="An average risk of {value} lets one match in three or more be right.",
        ),
    )
    is_monotone = True
    is_monotone_per_record = False
    judges_release: ClassVar[bool] = True
    judges_classes: ClassVar[bool] = False

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return np.ones(len(classes.sizes), np.bool_)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        return len(kept.sizes) <= self.limit * int(kept.sizes.sum())

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"limit": prosecutor(kept.sizes).average}

    def explain(self) -> str:
        return (
            f"Over all people, a match by known facts is right at most {100 * self.limit:.3g} "
            f"times in 100 on average; single people may stand out more."
        )
