"""Privacy from re-identification: the share of records found, and of those known to be right."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY_MEASURED, AttackModel, Disclosure
from deid_portal.engine.privacy.model import ROUNDING, Answers, PrivacyModel, WholeTable
from deid_portal.engine.table.patterns import Classes


@dataclass(frozen=True)
class ReIdentification(PrivacyModel):
    """KR.Reid: of the released records, at most a share is re-identified, and a share known to be.

    The intruder is the worst case: knows all quasi-identifiers of everybody, and how the release
    was made, so every record is linked to its own class and to one of its records by an even
    chance. The share re-identified is then classes / records; only a record that is alone is known
    to be right. A rule about the release as a whole: it suppresses nothing.
    """

    limit: float
    knows_limit: float

    name: ClassVar[str] = "re-identification"
    cites: ClassVar[str] = (
        "V. Torra, Guide to data privacy, 2022; V. Torra, J. Domingo-Ferrer, Record linkage "
        "methods for multidatabase data mining, 2003."
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
            caution="A share of {value} lets one record in three or more be re-identified.",
        ),
        Parameter(
            "knows_limit",
            minimum=0,
            maximum=1,
            default=0.0,
            unusual_above=0.05,
            caution="A share of {value} lets an intruder be sure of one record in twenty or more.",
        ),
    )
    # Joining classes makes them fewer, and a record alone in a joined class was alone before.
    is_monotone = True
    is_monotone_per_record = False
    judges_release: ClassVar[bool] = True
    judges_classes: ClassVar[bool] = False

    @property
    def chance_granted(self) -> float:
        return self.limit

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        return np.ones(len(classes.sizes), np.bool_)

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        found, known = _shares(kept)
        return found <= self.limit + ROUNDING and known <= self.knows_limit + ROUNDING

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        found, known = _shares(kept)
        return {"limit": found, "knows_limit": known}

    def explain(self) -> str:
        return (
            f"An intruder who knows all facts about everybody finds at most "
            f"{100 * self.limit:.3g} in 100 people of the release, and is sure of at most "
            f"{100 * self.knows_limit:.3g} in 100."
        )


def _shares(classes: Classes) -> tuple[float, float]:
    records = max(int(classes.sizes.sum()), 1)
    return len(classes.sizes) / records, int((classes.sizes == 1).sum()) / records
