"""Background knowledge: ruling out values until one is left."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    fixed_percent,
    share_of,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, BackgroundKnowledgeFigures
from deid_portal.engine.attacks.bins import spread_counts
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.attacks.homogeneity import best_guess, disclose, distinct_per_class
from deid_portal.engine.parameters import Declared, Parameter


@dataclass(frozen=True)
class BackgroundKnowledge(Attack):
    """An attacker who can exclude any `excluded` values for a person (Martin et al., 2007)."""

    excluded: int = 1

    name: ClassVar[str] = "background-knowledge"
    figures_kind: ClassVar[type[AttackFigures]] = BackgroundKnowledgeFigures
    cites: ClassVar[str] = (
        "D. Martin et al., Worst-case background knowledge for privacy-preserving data publishing, "
        "ICDE 2007."
    )
    needs: ClassVar[tuple[str, ...]] = ("sensitive",)
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("excluded", minimum=1, maximum=1000, whole=True, default=1),
    )

    @property
    def different_values(self) -> int:
        return int(self.excluded) + 2

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        distinct = distinct_per_class(setting)
        exposed = distinct <= 1 + self.excluded
        records = disclose(setting, exposed)
        value = share_of(records, setting.released.rows)
        return AttackResult(
            name=self.name,
            value=value,
            interval=exactly(value),
            control=best_guess(setting),
            records=records,
            sentence=(
                f"Somebody who can rule out {self.excluded} wrong values learns column "
                f'"{setting.sensitive_name}" of {records} records, '
                f"{fixed_percent(value)} of the release."
            ),
            figures=BackgroundKnowledgeFigures(classes=int(exposed.sum()), excluded=self.excluded),
            spread=spread_counts(distinct, 1 + self.excluded, of="groups", by="Different values"),
        )

    def explain(self) -> str:
        return "Counts the people whose sensitive value is left over once a few are ruled out."
