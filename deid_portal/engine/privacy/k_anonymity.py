"""k-anonymity: every record looks like k - 1 others."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from deid_portal.engine.privacy.look_alikes import LookAlikesModel
from deid_portal.engine.privacy.model import Answers, PrivacyModel, WholeTable
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class KAnonymity(LookAlikesModel):
    """Each record looks like at least k - 1 others on the quasi-identifiers (Sweeney, 2002)."""

    name: ClassVar[str] = "k-anonymity"
    cites: ClassVar[str] = (
        "L. Sweeney, k-anonymity: a model for protecting privacy, IJUFKS 10(5), 2002."
    )

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return classes.sizes >= self.k

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"k": int(kept.sizes.min(initial=whole.rows)) if len(kept.sizes) else 0}

    def explain(self) -> str:
        return (
            f"Every person looks like at least {self.k - 1} others, so a match by known facts is "
            f"right at most 1 time in {self.k}."
        )


def asked_k(models: Iterable[PrivacyModel]) -> int:
    """Return the k of the first k-anonymity among the models; 1, which asks nothing, without."""
    return next((model.k for model in models if isinstance(model, KAnonymity)), 1)
