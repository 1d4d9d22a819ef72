"""Skewness: a value is much likelier in a class than in the whole table."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    recode,
    share_of,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, SkewnessFigures
from deid_portal.engine.attacks.bins import spread_shares
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.parameters import Declared, Parameter


@dataclass(frozen=True)
class Skewness(Attack):
    """The gain of belief from prior to posterior, over every class and value (Li et al., 2007).

    The prior is the share in the original. `threshold` is the gain that puts a record at stake.
    """

    threshold: float = 0.2

    name: ClassVar[str] = "skewness"
    figures_kind: ClassVar[type[AttackFigures]] = SkewnessFigures
    cites: ClassVar[str] = "N. Li, T. Li and S. Venkatasubramanian, t-closeness, ICDE 2007."
    needs: ClassVar[tuple[str, ...]] = ("sensitive",)
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("threshold", minimum=0, maximum=1, default=0.2),
    )

    @property
    def distance_needed(self) -> float:
        return float(self.threshold)

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        original = setting.original[setting.sensitive_name]
        released = setting.released[setting.sensitive_name]
        shares = np.append(original.counts / max(len(original.codes), 1), 0.0)
        prior = shares[recode(released, original)]
        pairs = setting.groups.sensitive[setting.sensitive_name]
        posterior = pairs.counts / setting.groups.counts[pairs.groups]
        gains = posterior - prior[pairs.codes]
        at_stake = int(pairs.counts[gains >= self.threshold].sum())
        highest = float(gains.max(initial=0.0))
        mean = float(pairs.counts @ gains) / max(setting.released.rows, 1)
        return AttackResult(
            name=self.name,
            value=highest,
            interval=exactly(highest),
            control=0.0,
            records=at_stake,
            sentence=(
                f"For {at_stake} records, "
                f"{fixed_percent(share_of(at_stake, setting.released.rows))} of the release, "
                f"their class raises the belief in their value of column "
                f'"{setting.sensitive_name}" by {100 * self.threshold:.0f} points or more; by '
                f"{100 * highest:.1f} at most."
            ),
            figures=SkewnessFigures(
                mean_gain=mean,
                highest=highest,
                threshold=self.threshold,
                share=share_of(at_stake, setting.released.rows),
            ),
            spread=spread_shares(
                gains,
                pairs.counts,
                self.threshold,
                of="records",
                by="Belief gained, points",
            ),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        """Weigh the records whose value became much likelier; the value is only the highest."""
        share = float(result.figures.of(SkewnessFigures).share)
        return Stake(share, exactly(share), result.records, 0.0, result.records > 0)

    def explain(self) -> str:
        return "Compares how likely a value is in a class with how likely it is in general."
