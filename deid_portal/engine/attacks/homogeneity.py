"""Homogeneity: everybody in a class has the same sensitive value, so no link is needed."""

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
from deid_portal.engine.attacks.attack_figures import AttackFigures, HomogeneityFigures
from deid_portal.engine.attacks.bins import spread_counts
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.table.table import Codes


def distinct_per_class(setting: AttackSetting) -> Codes:
    """Return how many different sensitive values each released class shows."""
    pairs = setting.groups.sensitive[setting.sensitive_name]
    return np.bincount(pairs.groups, minlength=len(setting.groups.counts)).astype(np.int32)


def best_guess(setting: AttackSetting) -> float:
    """Return how often the most common value of the original is right for anybody."""
    column = setting.original[setting.sensitive_name]
    return share_of(int(column.counts.max(initial=0)), len(column.codes))


def disclose(
    setting: AttackSetting, exposed_classes: "np.ndarray[tuple[int], np.dtype[np.bool_]]"
) -> int:
    """Count the released records in these classes whose shown sensitive value is the true one."""
    shown = setting.released[setting.sensitive_name].codes
    inside = exposed_classes[setting.groups.pattern_of_row]
    return int((inside & (shown == setting.true_codes)).sum())


@dataclass(frozen=True)
class Homogeneity(Attack):
    """Machanavajjhala et al., 2007: classes with a single sensitive value give it away."""

    name: ClassVar[str] = "homogeneity"
    figures_kind: ClassVar[type[AttackFigures]] = HomogeneityFigures
    cites: ClassVar[str] = "A. Machanavajjhala et al., l-diversity, TKDD 1(1), 2007."
    needs: ClassVar[tuple[str, ...]] = ("sensitive",)

    @property
    def different_values(self) -> int:
        return 2

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        distinct = distinct_per_class(setting)
        exposed = distinct == 1
        records = disclose(setting, exposed)
        value = share_of(records, setting.released.rows)
        return AttackResult(
            name=self.name,
            value=value,
            interval=exactly(value),
            control=best_guess(setting),
            records=records,
            sentence=(
                f"{int(exposed.sum())} classes show a single value of column "
                f'"{setting.sensitive_name}" and give it away for {records} records, '
                f"{fixed_percent(value)} of the release."
            ),
            figures=HomogeneityFigures(
                classes=int(exposed.sum()),
                fewest=int(distinct.min()) if len(distinct) else 0,
            ),
            spread=spread_counts(distinct, 1, of="groups", by="Different values"),
        )

    def explain(self) -> str:
        return "Looks for classes in which everybody has the same sensitive value."
