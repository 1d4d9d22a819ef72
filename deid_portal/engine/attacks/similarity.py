"""Similarity: the sensitive values of a class differ, but have nearly the same meaning."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    USUAL_DISTANCE,
    Attack,
    AttackBins,
    AttackResult,
    AttackSetting,
    Bin,
    fixed_percent,
    share_of,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, GroupFigures
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Declared, Parameter
from deid_portal.engine.table.numbers import numbers_of
from deid_portal.engine.table.table import Codes
from deid_portal.engine.taxonomies import Taxonomy


@dataclass(frozen=True)
class Similarity(Attack):
    """Classes whose values lie under one label at `level`, or within `width` of the whole range.

    Li et al., 2007. A taxonomy of the sensitive column decides; without one the numbers do.
    """

    level: int = 1
    width: float = 0.1

    name: ClassVar[str] = "similarity"
    figures_kind: ClassVar[type[AttackFigures]] = GroupFigures
    cites: ClassVar[str] = "N. Li, T. Li and S. Venkatasubramanian, t-closeness, ICDE 2007."
    needs: ClassVar[tuple[str, ...]] = ("sensitive",)
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("level", minimum=0, maximum=40, whole=True, default=1),
        Parameter("width", minimum=0, maximum=1, default=0.1),
    )

    @property
    def distance_needed(self) -> float:
        return USUAL_DISTANCE

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        taxonomy = setting.taxonomies.get(setting.sensitive_name)
        alike = (
            self._close_in_numbers(setting)
            if taxonomy is None
            else self._close_in_taxonomy(setting, taxonomy)
        )
        records = int(setting.groups.counts[alike].sum())
        value = share_of(records, setting.released.rows)
        return AttackResult(
            name=self.name,
            value=value,
            interval=exactly(value),
            control=None,
            records=records,
            sentence=(
                f'In {int(alike.sum())} classes all values of column "{setting.sensitive_name}" '
                f"are close to each other: {records} records, {fixed_percent(value)} of the "
                f"release."
            ),
            figures=GroupFigures(classes=int(alike.sum())),
            spread=AttackBins(
                "groups",
                "Values of the group",
                (
                    Bin("nearly the same", int(alike.sum()), is_marked=True),
                    Bin("different", int((~alike).sum())),
                ),
            ),
        )

    def explain(self) -> str:
        return "Looks for classes whose sensitive values differ in word but hardly in meaning."

    def _close_in_taxonomy(self, setting: AttackSetting, taxonomy: Taxonomy) -> NDArray[np.bool_]:
        level = min(self.level, max(taxonomy.height - 1, 0))
        released = setting.released[setting.sensitive_name]
        leaf = {text: number for number, text in enumerate(taxonomy.labels[0])}
        group: Codes = np.array(
            [
                taxonomy.codes[level, leaf[text]] if text in leaf else -1 - code
                for code, text in enumerate(released.values)
            ],
            np.int32,
        )
        pairs = setting.groups.sensitive[setting.sensitive_name]
        lowest, highest = _extremes(setting, group[pairs.codes].astype(np.float64))
        alike: NDArray[np.bool_] = lowest == highest
        return alike

    def _close_in_numbers(self, setting: AttackSetting) -> NDArray[np.bool_]:
        numbers = numbers_of(setting.released[setting.sensitive_name])
        if np.isnan(numbers).all():
            raise InvalidPlan(
                f'Column "{setting.sensitive_name}" needs a taxonomy or numbers to say what is '
                f"similar."
            )
        pairs = setting.groups.sensitive[setting.sensitive_name]
        own = np.where(np.isnan(numbers), np.inf, numbers)
        lowest, highest = _extremes(setting, own[pairs.codes])
        allowed = self.width * float(np.nanmax(numbers) - np.nanmin(numbers))
        with np.errstate(invalid="ignore"):
            close: NDArray[np.bool_] = highest - lowest <= allowed
        return close


def _extremes(
    setting: AttackSetting, per_pair: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    groups = setting.groups.sensitive[setting.sensitive_name].groups
    lowest = np.full(len(setting.groups.counts), np.inf)
    highest = np.full(len(setting.groups.counts), -np.inf)
    np.minimum.at(lowest, groups, per_pair)
    np.maximum.at(highest, groups, per_pair)
    return lowest, highest
