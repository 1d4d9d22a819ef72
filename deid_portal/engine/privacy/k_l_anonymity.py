"""(k, l)-anonymity: k look-alikes for intruders who know at most l quasi-identifiers."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.privacy.kinds import IDENTITY, AttackModel, Disclosure
from deid_portal.engine.privacy.model import LOOK_ALIKES, Answers, PrivacyModel, WholeTable
from deid_portal.engine.privacy.projections import every_projection
from deid_portal.engine.table.patterns import Classes
from deid_portal.engine.table.table import Codes, Counts


@dataclass(frozen=True)
class KLAnonymity(PrivacyModel):
    """On any l quasi-identifiers or fewer, each record looks like at least k - 1 others.

    Suppressing records makes other groups smaller, so failing classes are removed until none fails.
    What is left is the largest part of the table for which the rule holds. Such parts can be
    joined, and remain such parts at coarser levels, so a class that passes still passes whatever
    joins it.
    """

    k: int
    l: int  # noqa: E741 - the literature's symbol

    name: ClassVar[str] = "k-l-anonymity"
    cites: ClassVar[str] = (
        "K. Stokes, On computational anonymity, Privacy in Statistical Databases 2012; "
        "V. Torra, Guide to data privacy, 2022."
    )
    addresses: ClassVar[tuple[AttackModel, ...]] = (AttackModel.RECORD_LINKAGE,)
    disclosure: ClassVar[Disclosure] = IDENTITY
    look_alikes: ClassVar[str] = "k"
    columns_known: ClassVar[str] = "l"
    can_be_estimated: ClassVar[bool] = False
    parameters: ClassVar[tuple[Declared, ...]] = (
        LOOK_ALIKES,
        Parameter(
            "l",
            start=3,
            minimum=1,
            whole=True,
            unusual_below=2,
            unusual_above=6,
            caution="l = {value} is unusual: few people know only one fact, and from seven on it "
            "is nearly k-anonymity and slow to check.",
        ),
    )
    is_monotone = True
    is_monotone_per_record = True
    judges_release: ClassVar[bool] = True

    def passes(self, classes: Classes, whole: WholeTable) -> Answers:
        labels = classes.labels
        passes = np.ones(len(classes.sizes), np.bool_)
        while passes.any():
            enough = _smallest_groups(labels[:, passes], classes.sizes[passes], self.l) >= self.k
            if enough.all():
                break
            passes[passes] = enough
        return passes

    def accepts(self, kept: Classes, whole: WholeTable) -> bool:
        """Check again: other models may have suppressed records that this one relied on."""
        return bool((_smallest_groups(kept.labels, kept.sizes, self.l) >= self.k).all())

    def achieved(self, kept: Classes, whole: WholeTable) -> dict[str, Any]:
        smallest = _smallest_groups(kept.labels, kept.sizes, self.l)
        return {"k": int(smallest.min()) if len(smallest) else 0, "l": self.l}

    def explain(self) -> str:
        return (
            f"Whoever knows up to {self.l} facts about a person finds at least {self.k} people "
            f"they fit, so a match is right at most 1 time in {self.k}."
        )


def _smallest_groups(labels: Codes, sizes: Counts, known: int) -> Counts:
    """Return, per class, the records of the smallest group it is in on any columns known."""
    smallest = np.full(len(sizes), sizes.sum(), np.int64)
    for numbers in every_projection(labels, known):
        groups = np.bincount(numbers, sizes).astype(np.int64)
        np.minimum(smallest, groups[numbers], out=smallest)
    return smallest
