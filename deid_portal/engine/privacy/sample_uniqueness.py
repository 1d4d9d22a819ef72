"""Sample uniqueness: few records are unique in the release."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_MEASURED, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.risk.sample_uniques import count_sample_uniques
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class SampleUniqueness(PrivacyModel):
    """The share of released records that are alone in their class is at most a limit.

    A rule about the release as a whole: it suppresses nothing. Coarser classes are joined ones,
    so a record alone in one was alone before: the share never grows.
    """

    limit: float

    name: ClassVar[str] = "sample-uniqueness"
    cites: ClassVar[str] = (
        "C. Skinner, M. Elliot, A measure of disclosure risk for microdata, JRSS B 64(4), 2002."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY_MEASURED
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter(
            "limit",
            start=0.01,
            minimum=0,
            maximum=1,
            unusual_above=0.1,
            caution="A share of {value} leaves one person in ten or more alone in the release.",
        ),
    )
    is_monotone = True
    is_monotone_per_record = False
    judges_release: ClassVar[bool] = True
    judges_classes: ClassVar[bool] = False

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return np.ones(len(classes.sizes), np.bool_)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        return _share(kept) <= self.limit + ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        return {"limit": _share(kept)}

    def explain(self) -> str:
        return (
            f"At most {100 * self.limit:.3g} in 100 people of the release are the only one with "
            f"their combination of known facts."
        )


def _share(classes: Classes) -> float:
    return count_sample_uniques(classes.sizes).share
