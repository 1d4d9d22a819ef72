"""Singling out: a description taken from the release that fits exactly one person.

A. Cohen and K. Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 117(15), 2020;
M. Giomi et al., PETS 2023.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    share_of,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, SinglingOutFigures
from deid_portal.engine.attacks.bins import compare_shares
from deid_portal.engine.attacks.confidence import (
    excess_interval,
    excess_over_control,
    wilson_interval,
)
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.progress import Progress
from deid_portal.engine.table.patterns import Patterns, reduce_table
from deid_portal.engine.table.table import Table
from deid_portal.engine.utility.coverage import LabelCoverage, cover

Description = dict[str, int]  # per column the code of a released label


@dataclass(frozen=True)
class SinglingOut(Attack):
    """Describes released records that are alone on a few columns and looks who fits.

    An attempt that finds nobody alone in the release counts as failed.
    """

    attempts: int = 500
    columns: int = 3

    name: ClassVar[str] = "singling-out"
    figures_kind: ClassVar[type[AttackFigures]] = SinglingOutFigures
    usual_seconds: ClassVar[tuple[float, float]] = (0.5, 1.5)
    with_time: ClassVar[Mapping[str, Any]] = MappingProxyType({"attempts": 2000})
    holds_out: ClassVar[bool] = True
    finds_by_exact_values: ClassVar[bool] = True
    cites: ClassVar[str] = (
        "A. Cohen and K. Nissim, Towards formalizing the GDPR's notion of singling out, PNAS "
        "117(15), 2020."
    )
    needs: ClassVar[tuple[str, ...]] = ("control",)
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("attempts", minimum=1, maximum=100_000, whole=True, default=500, is_effort=True),
        Parameter("columns", minimum=1, maximum=20, whole=True, default=3),
    )

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        others = setting.control_table
        shared = [name for name in setting.released.names if name in setting.original]
        names = [name for name in shared if name in others]
        found = self._describe_some(setting, names, generator)
        right = _count_singled_out(setting, setting.original, names, found)
        by_chance = _count_singled_out(setting, others, names, found)
        main, control = share_of(right, self.attempts), share_of(by_chance, self.attempts)
        value = excess_over_control(main, control)
        return AttackResult(
            name=self.name,
            value=value,
            interval=excess_interval(
                wilson_interval(right, self.attempts), wilson_interval(by_chance, self.attempts)
            ),
            control=control,
            records=right,
            sentence=(
                f"{right} of {self.attempts} descriptions taken from the release fit exactly one "
                f"person of the original; {by_chance} fit exactly one of the others "
                f"({fixed_percent(value)} beyond chance)."
            ),
            figures=SinglingOutFigures(
                descriptions=len(found),
                success=main,
                attempts=self.attempts,
                by_chance=by_chance,
            ),
            spread=compare_shares(
                "Descriptions that fit exactly one",
                [("of the original", main), ("of the others", control)],
            ),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        """Weigh the descriptions that single out beyond those that fit one of the others, too."""
        gained = round(result.value * self.attempts)
        return Stake(result.value, result.interval, gained, 0.0, result.interval[0] > 0)

    def explain(self) -> str:
        return "Describes released records by a few columns and counts who is the only one to fit."

    def _describe_some(
        self, setting: AttackSetting, names: list[str], generator: np.random.Generator
    ) -> list[Description]:
        """Try to describe single records; the columns of each try are drawn anew."""
        patterns: dict[tuple[int, ...], Patterns] = {}
        width = min(self.columns, len(names))
        found = []
        for attempt in range(self.attempts):
            setting.progress.report(attempt, 2 * self.attempts, "attack")
            drawn = tuple(generator.choice(len(names), width, replace=False).tolist())
            chosen = [names[place] for place in drawn]
            if drawn not in patterns:
                patterns[drawn] = reduce_table(setting.released, chosen, (), Progress(None))
            description = self._describe(patterns[drawn], chosen, generator)
            if description:
                found.append(description)
        return found

    def _describe(
        self, patterns: Patterns, chosen: list[str], generator: np.random.Generator
    ) -> Description:
        """Return labels of a few columns that one released record alone shows, if there are any."""
        alone = np.flatnonzero(patterns.counts == 1)
        if not len(alone):
            return {}
        pattern = int(generator.choice(alone))
        return dict(zip(chosen, patterns.codes[:, pattern].tolist(), strict=True))


def _count_singled_out(
    setting: AttackSetting, people: Table, names: list[str], descriptions: list[Description]
) -> int:
    coverages = {
        name: cover(people[name], setting.released[name], setting.taxonomies.get(name))
        for name in names
    }
    alone = 0
    for number, described in enumerate(descriptions):
        setting.progress.report(len(descriptions) + number, 2 * len(descriptions), "attack")
        alone += _count_fitting(people, coverages, described) == 1
    return alone


def _count_fitting(
    people: Table, coverages: dict[str, LabelCoverage], description: Description
) -> int:
    fits: NDArray[np.bool_] = np.ones(people.rows, np.bool_)
    for name, label in description.items():
        covered = np.zeros(len(people[name].values), np.bool_)
        covered[coverages[name].covered[label]] = True
        fits &= covered[people[name].codes]
    return int(fits.sum())
