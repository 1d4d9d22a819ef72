"""k-anonymity: every record looks like k - 1 others."""

from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.parameters import Declared
from deid_portal.engine.privacy.kinds import IDENTITY, AttackModel, Disclosure
from deid_portal.engine.privacy.model import LOOK_ALIKES, Answers, PrivacyModel, WholeTable
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """Each record looks like at least k - 1 others on the quasi-identifiers (Sweeney, 2002)."""

    k: int

    name: ClassVar[str] = "k-anonymity"
    cites: ClassVar[str] = (
        "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY
    look_alikes: ClassVar[str] = "k"
    parameters: ClassVar[tuple[Declared, ...]] = (LOOK_ALIKES,)
    is_monotone = True
    is_monotone_per_record = True

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return classes.sizes >= self.k

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"k": int(kept.sizes.min(initial=whole.rows)) if len(kept.sizes) else 0}

    def explain(self) -> str:
        return (
            f"Every person looks like at least {self.k - 1} others, so a match by known facts is "
            f"right at most 1 time in {self.k}."
        )
