"""Interval disclosure: the released number is too near the true one.

J. Domingo-Ferrer, J. Mateo-Sanz and V. Torra, Comparing SDC methods for microdata, 2001.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from deid_portal.engine.attacks.attack import (
    Attack,
    AttackResult,
    AttackSetting,
    Stake,
    fixed_percent,
    share_of,
    weigh_gain,
)
from deid_portal.engine.attacks.attack_figures import AttackFigures, IntervalDisclosureFigures
from deid_portal.engine.attacks.bins import compare_shares
from deid_portal.engine.attacks.confidence import exactly
from deid_portal.engine.errors import InvalidPlan
from deid_portal.engine.parameters import Choice, Declared, Parameter
from deid_portal.engine.table.numbers import numbers_of
from deid_portal.engine.utility.coverage import cover

Numbers = NDArray[np.float64]
UNITS = ("absolute", "percent", "rank")


def is_within(truth: Numbers, shown: Numbers, width: float, unit: str) -> NDArray[np.bool_]:
    """Say per record whether the true number lies within `width` of the shown one.

    The width is an amount, a percentage of the shown number, or a percentage of all ranks.
    """
    if unit == "rank":
        ordered = np.sort(truth)
        low, high = (
            np.searchsorted(ordered, truth, "left"),
            np.searchsorted(ordered, truth, "right"),
        )
        place = np.searchsorted(ordered, shown)
        away = np.maximum(np.maximum(low - place, place - high), 0)
        return np.asarray(away <= width / 100 * len(truth))
    reach = width if unit == "absolute" else np.abs(shown) * width / 100
    return np.asarray(np.abs(truth - shown) <= reach)


@dataclass(frozen=True)
class IntervalDisclosureAttack(Attack):
    """The share of records whose true number lies in an interval around the released one.

    `control` is the share that lies as near to the middle of all released numbers, which anybody
    could guess for everybody.
    """

    width: float = 5.0
    unit: str = "percent"
    column: str | None = None  # the sensitive one unless said

    name: ClassVar[str] = "interval-disclosure"
    figures_kind: ClassVar[type[AttackFigures]] = IntervalDisclosureFigures
    cites: ClassVar[str] = (
        "J. Domingo-Ferrer, J. Mateo-Sanz and V. Torra, Comparing SDC methods for microdata on the "
        "basis of information loss and disclosure risk, 2001."
    )
    needs: ClassVar[tuple[str, ...]] = ("sensitive",)
    parameters: ClassVar[tuple[Declared, ...]] = (
        Parameter("width", minimum=0, default=5.0),
        Choice("unit", ("percent", "absolute", "rank")),
    )

    def __post_init__(self) -> None:
        if self.unit not in UNITS or self.width < 0:
            raise InvalidPlan(f"A width of 0 or more in one of {', '.join(UNITS)} is needed.")

    def run(self, setting: AttackSetting, generator: np.random.Generator) -> AttackResult:
        name = self.column or setting.sensitive_name
        truth, shown = _read_pair(setting, name)
        usable = ~np.isnan(truth) & ~np.isnan(shown)
        if not usable.any():
            raise InvalidPlan(f'Column "{name}" holds no numbers to compare.')
        inside = is_within(truth[usable], shown[usable], self.width, self.unit)
        records = int(inside.sum())
        value = share_of(records, setting.released.rows)
        middle = np.full(int(usable.sum()), np.median(shown[usable]))
        by_chance = is_within(truth[usable], middle, self.width, self.unit)
        control = share_of(int(by_chance.sum()), setting.released.rows)
        return AttackResult(
            name=self.name,
            value=value,
            interval=exactly(value),
            control=control,
            records=records,
            sentence=(
                f"For {records} records, {fixed_percent(value)} of the release, the true number of "
                f'column "{name}" lies within {self.width:g} ({self.unit}) of the released one.'
            ),
            figures=IntervalDisclosureFigures(width=self.width, people=setting.released.rows),
            spread=compare_shares(
                "Numbers that come near enough",
                [("with the release", value), ("guessing the middle", control)],
            ),
        )

    def weigh(self, result: AttackResult, promise: float) -> Stake:
        return weigh_gain(
            result.value,
            result.interval,
            result.control,
            result.figures.of(IntervalDisclosureFigures).people,
        )

    def explain(self) -> str:
        return "Counts released numbers that lie too near the true ones."


def _read_pair(setting: AttackSetting, name: str) -> tuple[Numbers, Numbers]:
    original, released = setting.original[name], setting.released[name]
    numbers, own = numbers_of(original), numbers_of(released)
    covered = cover(original, released, setting.taxonomies.get(name)).covered
    shown = [_mean(numbers, codes, number) for codes, number in zip(covered, own, strict=True)]
    return numbers[original.codes[setting.rows]], np.array(shown)[released.codes]


def _mean(numbers: Numbers, codes: Sequence[int] | NDArray[np.int32], number: float) -> float:
    """Return the number a label shows: its own, or the middle of those it covers."""
    if not np.isnan(number):
        return float(number)
    inside = numbers[np.asarray(codes, np.intp)]
    inside = inside[~np.isnan(inside)]
    return float(inside.min() + inside.max()) / 2 if len(inside) else float("nan")
